/**
 * The same program before and after. Before: viem signs with a key of the process and counts nonces in memory. After: Drover
 * has the key; only transport and account change.
 */
import { createPublicClient, createWalletClient, http } from 'viem'
import { nonceManager, privateKeyToAccount } from 'viem/accounts'
import { anvil } from 'viem/chains'

const rpcUrl = process.env.RPC_URL ?? 'http://127.0.0.1:8545'
const to = '0x000000000000000000000000000000000000dEaD'

if (process.argv[2] === 'before') {
  const account = privateKeyToAccount(process.env.PRIVATE_KEY as `0x${string}`, { nonceManager })
  const wallet = createWalletClient({ account, chain: anvil, transport: http(rpcUrl) })
  const hashes = await Promise.all([1n, 2n, 3n].map((value) => wallet.sendTransaction({ to, value })))
  console.log(`sent ${hashes.length}`)
} else {
  const url = `${process.env.DROVER_URL ?? 'http://127.0.0.1:4747'}/rpc`
  const headers: Record<string, string> = process.env.DROVER_API_KEY
    ? { authorization: `Bearer ${process.env.DROVER_API_KEY}` }
    : {}
  const transport = http(url, { fetchOptions: { headers } })
  const account = process.env.ACCOUNT as `0x${string}`
  const wallet = createWalletClient({ account, chain: anvil, transport })
  const hash = await wallet.sendTransaction({ to, value: 4n })
  const { status } = await createPublicClient({ chain: anvil, transport }).waitForTransactionReceipt({ hash })
  console.log(`sent through Drover: ${status}`)
}
