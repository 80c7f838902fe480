/** Prints every event, and continues where it stopped after a restart of the service or of this program. Ctrl-C ends it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createDrover } from '@drover/client'

const cursorFile = process.argv[2] ?? 'drover-cursor.txt'
const stop = new AbortController()
process.once('SIGINT', () => stop.abort())

const drover = createDrover({
  url: process.env.DROVER_URL ?? 'http://127.0.0.1:4747',
  apiKey: process.env.DROVER_API_KEY,
  onRetry: ({ error, delayMs }) => console.error(`${error.code}; retrying in ${delayMs} ms`),
})

const after = existsSync(cursorFile) ? Number(readFileSync(cursorFile, 'utf8')) : 0
try {
  for await (const event of drover.events({ after, signal: stop.signal })) {
    console.log(`${event.eventId} ${event.transactionId ?? event.from} ${event.type} ${event.toState ?? ''}`)
    // Store the position only after processing: after a crash in between, the event comes again.
    writeFileSync(cursorFile, String(event.eventId))
  }
} catch (error) {
  if (!stop.signal.aborted) throw error
}
