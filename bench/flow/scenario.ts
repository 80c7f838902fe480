/** A run of the whole service: how many signers and intents, which chain, which settings. */
export interface Scenario {
  readonly name: string
  readonly signers: number
  readonly intents: number
  readonly blockSeconds: number
  readonly preset: 'fast' | 'stable'
  /** Intents per second; absent: as fast as they are accepted. */
  readonly perSecond?: number
  readonly simulate: boolean
  /** Intents per request; absent: one. */
  readonly batch?: number
  /** Connections that send at once; absent: 64. */
  readonly callers?: number
  /** Intents sent before anything is measured. */
  readonly warmUp?: number
  /** The signers are paused, so acceptance is measured alone. */
  readonly paused?: boolean
  /** Finality is too far away to be reached: what is mined stays in flight. */
  readonly neverFinal?: boolean
  /** How many clients read the event stream during the run. */
  readonly streams?: number
  /** Settings that a user would have to change. */
  readonly tuned?: Readonly<Record<string, string>>
}

const BURST: Omit<Scenario, 'name'> = {
  signers: 1,
  intents: 2_000,
  blockSeconds: 1,
  preset: 'fast',
  simulate: true,
}

/** A service in use has compiled its code; V8 is done with most of it after this many. */
const WARM = 15_000

/** As after minutes on a chain whose blocks are final late. */
const UNFINAL: Omit<Scenario, 'name'> = {
  ...BURST,
  simulate: false,
  neverFinal: true,
  tuned: { DROVER_FINALITY: '200' },
}
/** The limits of a queue that nobody empties. */
const LONG_QUEUE = { DROVER_MAX_QUEUED_PER_SIGNER: '100000', DROVER_MAX_QUEUED: '100000', DROVER_TENANT_SHARE: '100' }
/** So many callers that the service, and not their round trips, is the limit. */
const ACCEPT: Omit<Scenario, 'name'> = {
  ...BURST,
  intents: 10_000,
  simulate: false,
  paused: true,
  callers: 200,
  tuned: LONG_QUEUE,
}

export const SCENARIOS: readonly Scenario[] = [
  { ...BURST, name: 'one-signer', warmUp: WARM },
  { ...BURST, name: 'one-signer-cold' },
  { ...BURST, name: 'one-signer-no-simulation', simulate: false },
  { ...BURST, name: 'one-signer-batches', batch: 200 },
  { ...BURST, name: '16-signers', signers: 16, intents: 8_000, blockSeconds: 0.2, warmUp: WARM },
  { ...BURST, name: '16-signers-batches', signers: 16, intents: 8_000, blockSeconds: 0.2, warmUp: WARM, batch: 100 },
  { ...BURST, name: '16-signers-no-simulation', signers: 16, intents: 8_000, blockSeconds: 0.2, simulate: false },
  { ...BURST, name: '16-signers-1s', signers: 16, intents: 8_000 },
  { ...BURST, name: '100-signers', signers: 100, intents: 8_000 },
  { ...BURST, name: 'paced-1000', signers: 16, intents: 15_000, perSecond: 1_000, simulate: false, warmUp: WARM },
  { ...BURST, name: 'stable', signers: 16, intents: 200, preset: 'stable' },
  { ...BURST, name: 'one-signer-fixed-window', simulate: false, tuned: { DROVER_MAX_IN_FLIGHT: '2000' } },
  { ...ACCEPT, name: 'accept-alone', warmUp: 20_000 },
  { ...ACCEPT, name: 'accept-alone-cold' },
  { ...ACCEPT, name: 'accept-alone-batches', batch: 100 },
  { ...UNFINAL, name: 'unfinal-0' },
  { ...UNFINAL, name: 'unfinal-7000', warmUp: 7_000 },
  { ...BURST, name: '100-streams', intents: 2_000, streams: 100 },
]

/** Few and small: its counts are checked, its times are not. */
export const SMOKE: Scenario = { ...BURST, name: 'smoke', signers: 4, intents: 1_000, blockSeconds: 0.5 }
