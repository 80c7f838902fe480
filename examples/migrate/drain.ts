/**
 * Waits until an account has nothing in flight, by every RPC node in RPC_URL (separated by commas), for a few blocks in
 * a row. Run it after the old system has stopped, and before Drover sends for the account.
 */
import { createPublicClient, http, isAddress } from 'viem'

const BLOCKS = Number(process.env.BLOCKS ?? 5)
const [, , given = ''] = process.argv
if (!isAddress(given)) throw new Error('Which account? Give its address.')
const address = given
const nodes = (process.env.RPC_URL ?? 'http://127.0.0.1:8545')
  .split(',')
  .map((url) => createPublicClient({ transport: http(url) }))
const [first] = nodes
if (first === undefined) throw new Error('RPC_URL names no node.')

async function readCounts(): Promise<readonly number[]> {
  const tags = ['latest', 'pending'] as const
  return await Promise.all(
    nodes.flatMap((node) => tags.map((blockTag) => node.getTransactionCount({ address, blockTag }))),
  )
}

let quiet = { count: -1, blocks: 0 }
let height = -1n
while (quiet.blocks < BLOCKS) {
  const seen = await first.getBlockNumber({ cacheTime: 0 })
  if (seen === height) {
    await new Promise((resolve) => setTimeout(resolve, 200))
    continue
  }
  height = seen
  const counts = await readCounts()
  const [count = 0] = counts
  const isQuiet = counts.every((each) => each === count)
  quiet =
    isQuiet && count === quiet.count ? { count, blocks: quiet.blocks + 1 } : { count: isQuiet ? count : -1, blocks: 0 }
  if (!isQuiet) console.log(`block ${height}: still in flight (${counts.join(', ')})`)
}
console.log(`${address} has nothing in flight; its next nonce is ${quiet.count}`)
