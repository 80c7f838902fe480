/** Sends with viem and ethers through the client, which retries lost requests without sending anything twice. */
import { createDrover } from '@drover/client'
import { createProvider } from '@drover/client/eip1193'
import { drover, toDroverAccount } from '@drover/client/viem'
import { BrowserProvider } from 'ethers'
import { createWalletClient, custom, publicActions } from 'viem'
import { anvil } from 'viem/chains'

const url = process.env.DROVER_URL ?? 'http://127.0.0.1:4747'
const apiKey = process.env.DROVER_API_KEY
const [signer] = await createDrover({ url, apiKey }).signers.list()
if (signer === undefined) throw new Error('The service has no signer.')

const wallet = createWalletClient({
  chain: anvil,
  account: toDroverAccount(signer.address),
  transport: drover({ custom, url, apiKey }),
}).extend(publicActions)
const hash = await wallet.sendTransaction({ to: signer.address, value: 1n })
const { status } = await wallet.waitForTransactionReceipt({ hash })
console.log(`viem: ${status}`)

const provider = new BrowserProvider(createProvider({ url, apiKey, chainId: anvil.id }))
const account = await provider.getSigner(signer.address)
const sent = await account.sendTransaction({ to: signer.address, value: 1n })
const receipt = await sent.wait()
console.log(`ethers: ${receipt?.status === 1 ? 'success' : 'reverted'}`)
provider.destroy()
