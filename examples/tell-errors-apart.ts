/** Makes common mistakes and shows how to tell the errors apart. */
import { createDrover, DroverError, type Intent } from '@drover/client'

const drover = createDrover({
  url: process.env.DROVER_URL ?? 'http://127.0.0.1:4747',
  apiKey: process.env.DROVER_API_KEY,
})
const [signer] = await drover.signers.list()
if (signer === undefined) throw new Error('The service has no signer.')

const intent = { from: signer.address, to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', value: 1n }

async function attempt(given: Intent): Promise<string> {
  try {
    const tx = await drover.send(given)
    return `accepted as ${tx.id}`
  } catch (error) {
    if (!(error instanceof DroverError)) throw error
    switch (error.code) {
      case 'invalid_request':
        return `${error.field} is wrong: ${error.detail}`
      case 'transaction_rejected':
        return `it would fail on chain: ${error.reason ?? error.detail}`
      case 'idempotency_conflict':
        return `${error.requestId} was used for something else: ${error.problem?.transactionId}`
      case 'network_error':
      case 'timeout':
        // It may have been stored. Sending the same intent with the same id is safe.
        return `no answer; send it again as ${error.requestId}`
      default:
        throw error
    }
  }
}

console.log(await attempt({ ...intent, to: 'my friend' }))
console.log(await attempt({ ...intent, value: 10n ** 40n }))
console.log(await attempt({ ...intent, requestId: 'order-17' }))
console.log(await attempt({ ...intent, requestId: 'order-17' }))
console.log(await attempt({ ...intent, requestId: 'order-17', value: 2n }))
