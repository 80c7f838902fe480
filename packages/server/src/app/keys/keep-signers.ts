/** Keeps signers in step with keys while the service runs: a key that is added becomes a signer on every chain. */
import type { Config } from '../../config/config.ts'
import { coalesce } from '../../core/coalesced-task.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { type Adapters, registerSigners } from '../open-adapters.ts'

export interface SignerKeeping {
  start(): void
  stop(): void
}

interface KeepingPorts {
  readonly engine: Pick<Engine, 'keysChanged'>
  readonly telemetry: Pick<Telemetry, 'log'>
}

const RETRY_MS = 5_000

export function keepSigners(
  config: Config,
  adapters: Pick<Adapters, 'signer' | 'store' | 'chains' | 'clock'>,
  { engine, telemetry }: KeepingPorts,
): SignerKeeping {
  const { signer, store, clock } = adapters
  let cancelRetry = (): void => {}
  let known = signer.addresses().join()
  const registering = coalesce(async () => {
    const now = signer.addresses().join()
    if (now !== known) {
      await registerSigners(config, adapters)
      known = now
    }
    engine.keysChanged()
  })
  const update = (): void => {
    registering.run().catch((error: unknown) => {
      telemetry.log('warn', 'could not register the signers of new keys; retrying', { error })
      cancelRetry = clock.schedule(RETRY_MS, update)
    })
  }
  const ends = [
    signer.onChange(update),
    store.listen(({ type }) => {
      if (type === 'signer-keys.changed' || type === 'gap') void signer.lookAgain('database')
    }),
  ]
  return {
    start: signer.start,
    stop: () => {
      cancelRetry()
      for (const end of ends) end()
    },
  }
}
