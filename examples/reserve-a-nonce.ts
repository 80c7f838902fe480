/** Signs and sends by itself with a nonce that it has reserved, and waits until Drover has seen the nonce final. */
import { setTimeout as pause } from 'node:timers/promises'
import { createPublicClient, http } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'

const drover = process.env.DROVER_URL ?? 'http://127.0.0.1:4747'
const chain = createPublicClient({ transport: http(process.env.RPC_URL ?? 'http://127.0.0.1:8545') })
/** The first development account, which is also the first signer of `drover dev`. */
const account = mnemonicToAccount(`${'test '.repeat(11)}junk`)

interface Reservation {
  readonly id: string
  readonly nonce: number
  readonly lockedUntil: string
  readonly result: string | null
  readonly inclusion: { readonly blockNumber: number } | null
}

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${drover}${path}`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()) as T
}

type Lent = { readonly items: readonly [Reservation]; readonly lockOwner: string }
const path = `/v1/signers/${account.address}/nonces`

const { items, lockOwner } = await call<Lent>('POST', path, { ttlMs: 60_000 })
const [{ id, nonce, lockedUntil }] = items
console.log(`nonce ${nonce} is ours until ${lockedUntil}`)

const raw = await account.signTransaction({
  type: 'eip1559',
  chainId: await chain.getChainId(),
  nonce,
  to: account.address,
  gas: 21_000n,
  ...(await chain.estimateFeesPerGas()),
})
const hash = await chain.sendRawTransaction({ serializedTransaction: raw })
await call('POST', `/v1/nonces/${id}/use`, { lockOwner, hash })

for (;;) {
  const { result, inclusion } = await call<Reservation>('GET', `/v1/nonces/${id}`)
  if (result !== null) {
    console.log(`${result} in block ${inclusion?.blockNumber}: ${hash}`)
    break
  }
  await pause(500)
}
