/** Runs Drover inside this program, with your own PostgreSQL: no HTTP, no second process. */
import { startDrover, WaitEnded } from '@drover/server'

const { DATABASE_URL = '', RPC_URL = '', SIGNER_KEY = '', SIGNER = '' } = process.env

const drover = await startDrover({
  databaseUrl: DATABASE_URL,
  rpcUrl: RPC_URL,
  signerKeys: SIGNER_KEY,
  finality: 1,
  logLevel: 'warn',
})
process.once('SIGTERM', () => void drover.stop())

const { id } = await drover.submit({
  from: SIGNER,
  to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  value: 10n ** 15n,
  requestId: 'invoice-17',
})
try {
  const { hash } = await drover.wait(id, 'confirmed', { timeoutMs: 5 * 60_000 })
  console.log(`confirmed ${hash}`)
} catch (error) {
  if (!(error instanceof WaitEnded)) throw error
  // `ended`, `timeout` or `stopping`. Unless it ended, Drover continues with it.
  const { summary, nextAction } = await drover.explain(id)
  console.error(`${error.outcome}: ${summary} ${nextAction}`)
}

let cursor = 0 // Store it with your own data, and continue from there.
for await (const event of drover.events({ after: cursor })) {
  cursor = event.eventId
  if (event.transactionId === id && event.completion !== null) {
    console.log(`${event.completion.requestId} is ${event.toState}`)
    break
  }
}

await drover.stop()
