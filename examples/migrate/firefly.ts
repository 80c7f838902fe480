/** Answers `SendTransaction` and `GET /transactions/{id}` of FireFly's EVMConnect with Drover. */
import { type AbiFunction, toFunctionSignature } from 'viem'
import { type Call, drover, serveJson } from './serve-json.ts'

interface SendTransaction {
  readonly headers: { readonly id?: string; readonly type: string }
  readonly from: string
  readonly to: string
  readonly method: AbiFunction
  readonly params: readonly unknown[]
  readonly value?: string
  readonly gas?: string
}

const STATUS = {
  QUEUED: 'Pending',
  ALLOCATED: 'Pending',
  TRACKING: 'Pending',
  STUCK: 'Pending',
  CONFIRMED: 'Succeeded',
  FAILED_FINAL: 'Failed',
  CANCELLED: 'Failed',
  EXPIRED: 'Failed',
} as const

async function send({ body }: Call) {
  const { headers, from, to, method, params, value, gas } = body as SendTransaction
  if (headers.type !== 'SendTransaction') throw new Error(`${headers.type} is not covered here`)
  const tx = await drover.send({
    from,
    to,
    call: { function: toFunctionSignature(method), args: [...params] },
    ...(value !== undefined && { value }),
    ...(gas !== undefined && { gasLimit: gas }),
    // A repeat gets 409 there, and the first transaction here.
    ...(headers.id !== undefined && { requestId: headers.id }),
  })
  return await read({ id: tx.id }, 202)
}

async function read({ id }: Pick<Call, 'id'>, status = 200) {
  const { snapshot: tx } = await drover.transactions.get(id)
  const body = {
    id: tx.requestId ?? tx.id,
    status: STATUS[tx.state],
    from: tx.from,
    to: tx.to,
    nonce: tx.nonce,
    transactionHash: tx.hash,
    errorMessage: tx.error?.message ?? null,
  }
  return { status, body }
}

/** FireFly knows a transaction by the id that the caller chose: Drover's request id. */
async function find({ id }: Call) {
  for await (const tx of drover.transactions.list({ requestId: id })) return await read(tx)
  return await read({ id })
}

await serveJson(
  [
    [/^POST \/$/, send],
    [/^GET \/transactions\/(?<id>[\w.:-]+)$/, find],
  ],
  // The caller may repeat it, unless the transaction itself was refused.
  ({ detail, transient }) => ({ error: detail, submissionRejected: !transient }),
)
