/**
 * One connection that listens. When it breaks it reconnects, with growing pauses, and reports a gap to every listener,
 * because notices may have been missed.
 */
import { Client } from 'pg'
import { backOff } from '../../core/back-off.ts'
import type { Notice } from '../../ports/notice.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { CHANNEL, parseNotice } from './notice-payload.ts'

export interface NoticeListener {
  listen(listener: (notice: Notice) => void): () => void
  close(): Promise<void>
}

interface ListenerOptions {
  readonly databaseUrl: string
  readonly telemetry: Pick<Telemetry, 'log'>
  readonly applicationName: string
  readonly connectTimeoutMs: number
}

const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 5_000

/** Connects when the first listener is added. */
export function createNoticeListener(options: ListenerOptions): NoticeListener {
  const { telemetry } = options
  const listeners = new Set<(notice: Notice) => void>()
  let client: Client | null = null
  let retry: NodeJS.Timeout | null = null
  let failures = 0
  let isClosed = false
  let connecting: Promise<void> | null = null

  function notify(notice: Notice): void {
    for (const listener of listeners) listener(notice)
  }

  async function connect(): Promise<void> {
    const lose = (why: string): void => {
      if (client !== next) return
      client = null
      reconnectLater(why)
    }
    const next = createClient(options, { notify, lose })
    client = next
    try {
      await next.connect()
      await next.query(`listen ${CHANNEL}`)
      failures = 0
      // Also after the first connect: notices sent before the channel was open are lost, as after a break.
      if (client === next) notify({ type: 'gap' })
    } catch (error) {
      lose(error instanceof Error ? error.message : String(error))
      await next.end()
    }
  }

  function reconnectLater(why: string): void {
    if (isClosed) return
    const pauseMs = backOff(++failures, { first: FIRST_PAUSE_MS, max: MAX_PAUSE_MS })
    telemetry.log('warn', 'lost the notification connection to the database; polling continues', {
      error: why,
      retryMs: pauseMs,
    })
    retry = setTimeout(open, pauseMs)
  }

  function open(): void {
    retry = null
    if (isClosed) return
    connecting = connect().catch((error: unknown) => {
      telemetry.log('warn', 'could not close the notification connection', { error: String(error) })
    })
  }

  return {
    listen(listener) {
      // Each call adds a separate listener, even if the function is the same.
      const own = (notice: Notice): void => listener(notice)
      listeners.add(own)
      if (client === null && retry === null) open()
      return () => {
        listeners.delete(own)
      }
    },
    async close() {
      isClosed = true
      listeners.clear()
      if (retry !== null) clearTimeout(retry)
      await connecting
      const last = client
      client = null
      await last?.end()
    },
  }
}

function createClient(
  options: ListenerOptions,
  on: { readonly notify: (notice: Notice) => void; readonly lose: (why: string) => void },
): Client {
  const client = new Client({
    connectionString: options.databaseUrl,
    application_name: `${options.applicationName} listen`,
    connectionTimeoutMillis: options.connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  })
  client.on('error', (error) => on.lose(error.message))
  client.on('end', () => on.lose('connection ended'))
  client.on('notification', ({ payload }) => {
    const notice = parseNotice(payload ?? '')
    if (notice !== null) on.notify(notice)
  })
  return client
}
