/** Sends with unmodified viem, ethers and web3.js: the accounts are Drover's signers, and Drover manages what they send. */
import { FetchRequest, JsonRpcProvider } from 'ethers'
import { createPublicClient, createWalletClient, http } from 'viem'
import { HttpProvider, Web3 } from 'web3'

const url = `${process.env.DROVER_URL ?? 'http://127.0.0.1:4747'}/rpc`
const apiKey = process.env.DROVER_API_KEY
const headers: Record<string, string> = apiKey ? { authorization: `Bearer ${apiKey}` } : {}
const transport = http(url, { fetchOptions: { headers } })
const to = '0x000000000000000000000000000000000000dEaD'

async function sendWithViem(): Promise<string> {
  const wallet = createWalletClient({ transport })
  const [account] = await wallet.getAddresses()
  if (account === undefined) throw new Error('the service has no signer')
  const hash = await wallet.sendTransaction({ account, chain: null, to, value: 1n })
  const receipt = await createPublicClient({ transport }).waitForTransactionReceipt({ hash })
  return receipt.status
}

async function sendWithEthers(): Promise<string> {
  const request = new FetchRequest(url)
  for (const [name, value] of Object.entries(headers)) request.setHeader(name, value)
  const provider = new JsonRpcProvider(request)
  const signer = await provider.getSigner(0)
  const tx = await signer.sendTransaction({ to, value: 1n })
  const receipt = await tx.wait()
  provider.destroy()
  return receipt?.status === 1 ? 'success' : 'reverted'
}

async function sendWithWeb3(): Promise<string> {
  const web3 = new Web3(new HttpProvider(url, { providerOptions: { headers } }))
  const [from] = await web3.eth.getAccounts()
  if (from === undefined) throw new Error('the service has no signer')
  const receipt = await web3.eth.sendTransaction({ from, to, value: '1' })
  return receipt.status === 1n ? 'success' : 'reverted'
}

console.log(`viem: ${await sendWithViem()}`)
console.log(`ethers: ${await sendWithEthers()}`)
console.log(`web3.js: ${await sendWithWeb3()}`)
