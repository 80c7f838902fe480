/** Pays many people in one request, with a result for each. */
import { createDrover } from '@drover/client'

const drover = createDrover({
  url: process.env.DROVER_URL ?? 'http://127.0.0.1:4747',
  apiKey: process.env.DROVER_API_KEY,
})
const [signer] = await drover.signers.list()
if (signer === undefined) throw new Error('The service has no signer.')

const payroll = Array.from({ length: 100 }, (_, index) => ({
  id: `payroll-2030-01-${index}`,
  // The last one is invalid, to show that it does not stop the others.
  to: index === 99 ? '0x1234' : '0x976EA74026E726554dB657fA54763abd0C3a0aa9',
  amount: 10n,
}))

const results = await drover.sendBatch(
  payroll.map(({ id, to, amount }) => ({ from: signer.address, to, value: amount, requestId: id })),
)
for (const result of results) {
  if (result.type === 'failed') console.log(`${result.requestId}: ${result.error.detail}`)
}

const accepted = results.flatMap((result) => (result.type === 'accepted' ? [result.transaction] : []))
await Promise.all(accepted.map((tx) => tx.wait('confirmed')))
console.log(`${accepted.length} of ${results.length} are paid`)
