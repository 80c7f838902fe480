/** Answers the two main calls of thirdweb Engine (v2) with Drover, so that callers can stay as they are on the day of the move. */
import { type Call, drover, serveJson } from './serve-json.ts'

interface SendTransaction {
  readonly toAddress?: string
  readonly data: `0x${string}`
  readonly value?: string
  readonly txOverrides?: { readonly gas?: string }
}

const STATUS = {
  QUEUED: 'queued',
  ALLOCATED: 'queued',
  TRACKING: 'sent',
  STUCK: 'sent',
  CONFIRMED: 'mined',
  FAILED_FINAL: 'mined',
  CANCELLED: 'cancelled',
  EXPIRED: 'errored',
} as const

async function send({ id: chainId, headers, body }: Call) {
  const { toAddress, data, value, txOverrides } = body as SendTransaction
  const tx = await drover.send({
    chainId: Number(chainId),
    from: String(headers['x-backend-wallet-address']),
    data,
    ...(toAddress !== undefined && { to: toAddress }),
    ...(value !== undefined && { value }),
    ...(txOverrides?.gas !== undefined && { gasLimit: txOverrides.gas }),
    // Both answer a repeat with the same id. Engine does not compare the rest; Drover answers 409 if it differs.
    ...(headers['x-idempotency-key'] !== undefined && { requestId: String(headers['x-idempotency-key']) }),
  })
  return { status: 200, body: { result: { queueId: tx.id } } }
}

async function read({ id }: Call) {
  const { state, hash, nonce, receipt, error } = (await drover.transactions.get(id)).snapshot
  const result = {
    queueId: id,
    status: STATUS[state],
    transactionHash: hash,
    nonce,
    onchainStatus: receipt?.status ?? null,
    errorMessage: error?.message ?? null,
  }
  return { status: 200, body: { result } }
}

await serveJson(
  [
    [/^POST \/backend-wallet\/(?<id>\d+)\/send-transaction$/, send],
    [/^GET \/transaction\/status\/(?<id>[\w-]+)$/, read],
  ],
  ({ detail, code, status }) => ({ error: { message: detail, code, statusCode: status } }),
)
