/** Pays several people exactly once, however often you start, kill and restart this program. */
import { createDrover } from '@drover/client'

const drover = createDrover({
  url: process.env.DROVER_URL ?? 'http://127.0.0.1:4747',
  apiKey: process.env.DROVER_API_KEY,
})
const [signer] = await drover.signers.list()
if (signer === undefined) throw new Error('The service has no signer.')

// Use the ids of your own records: they identify a payment across restarts.
const payouts = [
  { id: 'payout-2030-01-1', to: '0x90F79bf6EB2c4f870365E785982E1f101E93b906', amount: 1_000n },
  { id: 'payout-2030-01-2', to: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65', amount: 2_000n },
  { id: 'payout-2030-01-3', to: '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc', amount: 3_000n },
]

for (const { id, to, amount } of payouts) {
  const tx = await drover.send({ from: signer.address, to, value: amount, requestId: id })
  console.log(`${id} is transaction ${tx.id}`)
}

for (const { id } of payouts) {
  for await (const tx of drover.transactions.list({ from: signer.address, requestId: id })) {
    const { hash } = await tx.wait('confirmed')
    console.log(`${id} is paid by ${hash}`)
  }
}
