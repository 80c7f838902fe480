/** The floods, one by one. Nothing is tuned, except where a flood needs room that the defaults refuse. */
import { setTimeout as pause } from 'node:timers/promises'
import { openLine } from '../flow/http-line.ts'
import { fillQueue } from './fill-queue.ts'
import type { FloodReport } from './flood-report.ts'
import { launchFlooder } from './launch-flooder.ts'
import { type FloodGround, type GroundOptions, post } from './start-ground.ts'
import { startReceivers } from './webhook-receivers.ts'

export interface Flood {
  readonly name: string
  readonly ground?: GroundOptions
  /** Before the calm that it is compared with. Returns how to begin. */
  prepare(ground: FloodGround): Promise<() => Promise<RunningFlood>>
}

export interface RunningFlood {
  end(): Promise<FloodReport>
}

const TIMES = 10
const CAPACITY_MS = 3_000
const CALLERS = 32
const ALONE_MS = 8_000
const POURED_PER_SECOND = 100
const LANES = 10_000
const ACTIVE_LANES = 10
const QUEUE_ROOM = 2

export function listFloods(depth: number): readonly Flood[] {
  return [
    { name: `${TIMES} × capacity`, prepare: prepareOverload },
    { name: 'webhook receivers that hang', ground: OPEN_WEBHOOKS, prepare: prepareWebhooks },
    { name: 'readers that never read', prepare: (ground) => prepareFlooder(ground, 'readers') },
    { name: 'huge payloads', prepare: (ground) => prepareFlooder(ground, 'payloads') },
    {
      name: `${LANES.toLocaleString('en')} lanes, ${ACTIVE_LANES} active`,
      ground: { floodSigners: ACTIVE_LANES, idleSigners: LANES - ACTIVE_LANES - 1 },
      prepare: (ground) => prepareFlooder(ground, 'intents'),
    },
    {
      name: `queue of ${depth.toLocaleString('en')}`,
      ground: {
        env: {
          DROVER_MAX_QUEUED_PER_SIGNER: String(QUEUE_ROOM * depth),
          DROVER_MAX_QUEUED: String(QUEUE_ROOM * depth),
        },
      },
      prepare: (ground) => prepareDepth(ground, depth),
    },
  ]
}

/** The receivers are on this machine. */
const OPEN_WEBHOOKS: GroundOptions = { env: { DROVER_WEBHOOK_ALLOW_PRIVATE: 'true' } }

async function prepareFlooder(ground: FloodGround, kind: string, perSecond = POURED_PER_SECOND) {
  const { url, token, signer } = ground
  const flooder = await launchFlooder({ kind, url, token: token.flood, signers: signer.flood, perSecond })
  return async (): Promise<RunningFlood> => {
    flooder.begin()
    return flooder
  }
}

/** Capacity: what the node accepts of one tenant that sends one intent after the other, with nobody else there. */
async function prepareOverload(ground: FloodGround) {
  const from = ground.signer.flood[0]
  const body = JSON.stringify({ from, to: from, value: '1', simulate: false })
  const countsFrom = performance.now() + CAPACITY_MS
  const endsAt = countsFrom + CAPACITY_MS
  let accepted = 0
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      const line = openLine({ url: ground.url, token: ground.token.flood })
      while (performance.now() < endsAt) {
        const status = await line.post('/v1/transactions', body)
        // Not from the start: a service that was just started is slow.
        if (status === 202 && performance.now() > countsFrom) accepted += 1
      }
      line.close()
    }),
  )
  return await prepareFlooder(ground, 'intents', TIMES * (accepted / (CAPACITY_MS / 1_000)))
}

async function prepareWebhooks(ground: FloodGround) {
  const receivers = await startReceivers()
  ground.onStop(receivers.stop)
  const subscribe = (url: string) => post(ground.url, ground.token.admin, '/v1/webhooks', { url })
  await subscribe(receivers.healthyUrl)
  // The same events without the bad receivers, to compare with.
  const alone = await (await prepareFlooder(ground, 'intents'))()
  await pause(ALONE_MS)
  await alone.end()
  const delays = receivers.takeDelays()
  const begin = await prepareFlooder(ground, 'intents')
  return async (): Promise<RunningFlood> => {
    receivers.takeDelays()
    for (const url of receivers.badUrls) await subscribe(url)
    const running = await begin()
    return {
      async end() {
        const report = await running.end()
        const note = `event to healthy receiver, p50 / p99 ms: alone ${delays}, among ${receivers.badUrls.length} bad ones ${receivers.takeDelays()}`
        return { ...report, notes: [...report.notes, note] }
      },
    }
  }
}

async function prepareDepth(ground: FloodGround, depth: number) {
  const [signer] = ground.signer.flood
  const act = (what: string) =>
    post(ground.url, ground.token.admin, `/v1/signers/${signer}/${what}`, { reason: 'bench' })
  return async (): Promise<RunningFlood> => {
    await act('pause')
    const report = await fillQueue(ground, depth)
    // The other tenant is watched from here on, while the queue is at its longest.
    await act('resume')
    return { end: async () => report }
  }
}
