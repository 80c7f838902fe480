/** The stuck hook of the settings: a module of the operator, or a URL. */
import type { Config } from '../config/config.ts'
import { loadStuckModule } from '../hooks/stuck-module.ts'
import { createStuckWebhook } from '../hooks/stuck-webhook.ts'
import type { Clock, Random } from '../ports/clock.ts'
import type { StuckHook } from '../ports/stuck-hook.ts'

export async function openStuckHook({ stuck }: Config, clock: Clock, random: Random): Promise<StuckHook | null> {
  if (stuck.hook === null) return null
  if (!/^https?:/i.test(stuck.hook)) return loadStuckModule(stuck.hook, process.cwd())
  return createStuckWebhook({ url: stuck.hook, secret: stuck.secret ?? '', clock, random })
}
