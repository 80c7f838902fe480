/** Every alarm that Drover raised in a storm, and whether it was justified: the storm knows what it did. */
import type { PlannedWeather } from './plan-faults.ts'
import type { Outcome, StoredEvent } from './read-outcome.ts'
import type { FaultRecord } from './storm-log.ts'

export interface AlarmReport {
  readonly byType: Readonly<Record<string, number>>
  readonly false: readonly string[]
}

interface Circumstances {
  readonly startedAt: number
  readonly weather: readonly PlannedWeather[]
  readonly faults: readonly FaultRecord[]
  /** Per chain, by their number in the plan. */
  readonly endpointsOf: ReadonlyMap<number, readonly number[]>
  /** Signers whose nonces are also reserved, in lower case. */
  readonly reserved: readonly string[]
}

const ALARMS =
  /^(?:stuck\.declared|finality\.broken|balance\.low|nonce\.lost|gap\.found|drift\.found|reservation\.alarmed|reservation\.stuck|chain\.(?:standing|rewound|unreachable))$/
/** Effects of a fault may be noticed and reported this much later. */
const AFTERMATH_MS = 15_000

export function judgeAlarms({ events }: Outcome, around: Circumstances): AlarmReport {
  const raised = events.filter(({ type }) => ALARMS.test(type))
  const byType: Record<string, number> = {}
  for (const { type } of raised) byType[type] = (byType[type] ?? 0) + 1
  const wrong = raised.filter((event) => !isTrue(event, around))
  return { byType, false: wrong.map((event) => `${event.type} at ${event.at - around.startedAt} ms: ${spell(event)}`) }
}

function isTrue(event: StoredEvent, around: Circumstances): boolean {
  switch (event.type) {
    case 'chain.unreachable':
      return isBadForAll(event, around) || hadFault(event.at, around, ['rpc_down', 'freeze', 'chain_crash'])
    // Nonces of these lanes come back because holders release or forget them.
    case 'gap.found':
    case 'reservation.alarmed':
    case 'reservation.stuck':
      return around.reserved.includes(event.signer)
    // Accounts have enough funds, nobody else has the keys, no reorg is as deep as finality, and there is a block every
    // second.
    default:
      return false
  }
}

/** Every endpoint had weather at some moment before the alarm. */
function isBadForAll({ at, chainId }: StoredEvent, { startedAt, weather, endpointsOf }: Circumstances): boolean {
  const [from, to] = [at - startedAt - AFTERMATH_MS, at - startedAt]
  const hit = weather.filter(({ atMs, untilMs }) => atMs <= to && untilMs >= from)
  return (endpointsOf.get(chainId) ?? []).every((endpoint) => hit.some((one) => one.endpoint === endpoint))
}

function hadFault(at: number, { faults }: Circumstances, kinds: readonly string[]): boolean {
  return faults.some(
    ({ kind, startedAt, endedAt }) => kinds.includes(kind) && startedAt <= at && endedAt + AFTERMATH_MS >= at,
  )
}

function spell({ signer, txId, detail }: StoredEvent): string {
  return `${txId ?? signer} ${JSON.stringify(detail)?.slice(0, 300)}`
}
