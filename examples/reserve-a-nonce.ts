/** Reserves a nonce, signs and sends with it itself, and waits until Drover reports it as final. */
import { createDrover } from '@drover/client'
import { createPublicClient, http } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'

const drover = createDrover({
  url: process.env.DROVER_URL ?? 'http://127.0.0.1:4747',
  apiKey: process.env.DROVER_API_KEY,
})
const rpcUrl = process.env.RPC_URL
if (rpcUrl === undefined) {
  console.error('Set RPC_URL to a node of the chain; `drover dev` prints the URL of its own.')
  process.exit(1)
}
const chain = createPublicClient({ transport: http(rpcUrl) })
/** The first development account, which is also the first signer of `drover dev`. */
const account = mnemonicToAccount(`${'test '.repeat(11)}junk`)

const { items, lockOwner } = await drover.nonces.reserve(account.address, { ttlMs: 60_000 })
const [asked] = items
if (asked === undefined) throw new Error('Nothing was reserved.')
// Usually reserved at once, else as soon as the signer has a free slot.
const { id, nonce, lockedUntil } = await drover.nonces.wait(asked.id, 'reserved')
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
await drover.nonces.use(id, { lockOwner, hash })

const { result, inclusion } = await drover.nonces.wait(id, 'final')
console.log(`${result} in block ${inclusion?.blockNumber}: ${hash}`)
