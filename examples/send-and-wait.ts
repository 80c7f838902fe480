/** Sends one transaction and waits until it is final. */
import { createDrover, DroverError, toBigInt } from '@drover/client'

const drover = createDrover({
  url: process.env.DROVER_URL ?? 'http://127.0.0.1:4747',
  apiKey: process.env.DROVER_API_KEY,
})
const [signer] = await drover.signers.list()
if (signer === undefined) throw new Error('The service has no signer.')

const tx = await drover.send({
  from: signer.address,
  to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  value: 10n ** 15n,
})
console.log(`accepted ${tx.id}`)

try {
  const { receipt } = await tx.wait('confirmed', { timeoutMs: 5 * 60_000 })
  const feeWei = toBigInt(receipt.gasUsed) * toBigInt(receipt.effectiveGasPrice)
  console.log(`confirmed ${receipt.transactionHash} in block ${receipt.blockNumber} for ${feeWei} wei`)
} catch (error) {
  if (!(error instanceof DroverError)) throw error
  // Not confirmed, or not yet. Drover still works on it; explain() says why.
  const { summary, nextAction } = await tx.explain()
  console.error(`${error.code}: ${summary} ${nextAction}`)
  process.exitCode = 1
}
