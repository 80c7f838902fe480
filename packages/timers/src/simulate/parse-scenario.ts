/** Reads a scenario file; every problem is reported at once, each with the path of its field. */
import { checkChainParams } from '../chain/check-chain-params.ts'
import { DEMO_HANDLERS } from '../chain/demo-actors.ts'
import { DEFAULT_PARAMS, type TimerParams } from '../kernel/params/timer-params.ts'
import { createFieldReader, type FieldProblem, type FieldReader } from './field-reader.ts'
import {
  type CallPlan,
  countOccasions,
  type Occasions,
  type Scenario,
  type ScenarioActor,
  type TimerPlan,
  type Trigger,
} from './scenario.ts'

export type ScenarioOutcome =
  | { readonly type: 'scenario'; readonly scenario: Scenario }
  | { readonly type: 'invalid'; readonly problems: readonly FieldProblem[] }

const MAX_BLOCKS = 100_000
/** More would run out of memory. */
const MAX_OCCASIONS = 1_000_000
/** The simulator writes the number of the plan into the first two bytes of a payload. */
const MAX_PAYLOAD_BYTES = DEFAULT_PARAMS.maxPayloadSize - 2

export function parseScenario(text: string): ScenarioOutcome {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return {
      type: 'invalid',
      problems: [
        { path: '', message: `is not JSON: ${error instanceof Error ? error.message.replaceAll('\n', ' ') : error}` },
      ],
    }
  }
  const problems: FieldProblem[] = []
  const scenario = readScenario(createFieldReader(value, '', problems))
  return problems.length === 0 ? { type: 'scenario', scenario } : { type: 'invalid', problems }
}

function readScenario(root: FieldReader): Scenario {
  root.only(['name', 'blocks', 'params', 'basefees', 'balance', 'actors', 'timers', 'calls'])
  const blocks = root.integer('blocks', { min: 1, max: MAX_BLOCKS })
  const fees = root.object('basefees')
  fees.only(['cycles', 'cells'])
  const actors = root.list('actors').map(readActor)
  const named = actors.map(({ name }) => name).filter((name) => name !== '')
  const names = new Set(named)
  if (names.size < named.length) root.report('actors', 'has two actors of one name')
  const params = readParams(root.object('params'))
  const timers = root.list('timers').map((each, index) => readTimer(each, index, names, blocks))
  const total = timers.reduce((sum, { count, occasions }) => sum + count * countOccasions(occasions, blocks), 0)
  if (total > MAX_OCCASIONS) root.report('timers', `would set ${total} timers; at most ${MAX_OCCASIONS} can be played`)
  return {
    name: root.text('name', 'scenario'),
    blocks,
    params,
    basefees: { cycles: fees.bigint('cycles', 1_000n), cells: fees.bigint('cells', 1_000n) },
    balance: root.bigint('balance', 10n ** 24n),
    actors,
    timers,
    calls: root.list('calls').map((each) => readCall(each, names, blocks)),
  }
}

function readActor(reader: FieldReader): ScenarioActor {
  reader.only(['name', 'handler'])
  const handler = reader.text('handler', 'counter')
  if (!Object.hasOwn(DEMO_HANDLERS, handler))
    reader.report('handler', `must be one of ${Object.keys(DEMO_HANDLERS).join(', ')}`)
  return { name: reader.text('name'), handler }
}

function readParams(reader: FieldReader): Partial<TimerParams> {
  reader.only(Object.keys(DEFAULT_PARAMS))
  const params: Record<string, unknown> = {}
  for (const name of reader.names()) {
    const known: unknown = DEFAULT_PARAMS[name as keyof TimerParams]
    if (typeof known === 'bigint') params[name] = reader.bigint(name, 0n, { signed: name === 'wFifo' })
    else if (typeof known === 'number') params[name] = reader.integer(name, { min: 0, max: 2 ** 32 - 1 })
    else if (typeof known === 'boolean') params[name] = reader.flag(name)
    else if (Array.isArray(known)) params[name] = reader.bigints(name)
  }
  const fault = checkChainParams({ ...DEFAULT_PARAMS, ...params } as TimerParams)
  if (fault !== null && reader.clean()) reader.report('', fault.message)
  return params as Partial<TimerParams>
}

function readTimer(reader: FieldReader, index: number, names: ReadonlySet<string>, blocks: number): TimerPlan {
  reader.only([
    'name',
    'actor',
    'count',
    'from',
    'repeatEvery',
    'until',
    'dueIn',
    'every',
    'watch',
    'bid',
    'gasLimit',
    'payloadBytes',
    'freshTargets',
  ])
  return {
    name: reader.text('name', `timer ${index + 1}`),
    actor: readActorName(reader, 'actor', names),
    count: reader.integer('count', { min: 1, max: 10_000, otherwise: 1 }),
    occasions: readOccasions(reader, blocks),
    trigger: readTrigger(reader, names),
    bidFp: reader.fixedPoint('bid', 0n),
    gasLimit: reader.bigint('gasLimit', 10_000n),
    payloadBytes: reader.integer('payloadBytes', { min: 0, max: MAX_PAYLOAD_BYTES, otherwise: 0 }),
    freshTargets: reader.flag('freshTargets'),
  }
}

function readTrigger(reader: FieldReader, names: ReadonlySet<string>): Trigger {
  const given = ['dueIn', 'every', 'watch'].filter((name) => reader.names().includes(name))
  if (given.length !== 1) reader.report('', 'needs exactly one of dueIn, every and watch')
  if (given[0] === 'every') return { type: 'every', blocks: reader.integer('every', { min: 1, max: 2 ** 32 - 1 }) }
  if (given[0] !== 'watch')
    return { type: 'due', inBlocks: reader.integer('dueIn', { min: 1, max: 2 ** 32 - 1, otherwise: 1 }) }
  const actors = reader.texts('watch')
  for (const name of actors) if (!names.has(name)) reader.report('watch', `names an unknown actor ${name}`)
  return { type: 'watch', actors }
}

function readCall(reader: FieldReader, names: ReadonlySet<string>, blocks: number): CallPlan {
  reader.only(['actor', 'from', 'repeatEvery', 'until'])
  return { actor: readActorName(reader, 'actor', names), occasions: readOccasions(reader, blocks) }
}

/** Once at `from`, unless `repeatEvery` says how often until when. */
function readOccasions(reader: FieldReader, blocks: number): Occasions {
  const from = reader.integer('from', { min: 1, max: MAX_BLOCKS, otherwise: 1 })
  const repeats = reader.names().includes('repeatEvery')
  if (!repeats && reader.names().includes('until')) reader.report('until', 'has no meaning without repeatEvery')
  const every = repeats ? reader.integer('repeatEvery', { min: 1, max: MAX_BLOCKS }) : 1
  return {
    from,
    every,
    until: repeats ? reader.integer('until', { min: 1, max: MAX_BLOCKS, otherwise: blocks }) : from,
  }
}

function readActorName(reader: FieldReader, field: string, names: ReadonlySet<string>): string {
  const name = reader.text(field)
  if (name !== '' && !names.has(name)) reader.report(field, `names an unknown actor ${name}`)
  return name
}
