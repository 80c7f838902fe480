/** One place where values of settings can be given. */
import type { SettingName } from './settings.ts'

export type Source = 'flag' | 'environment' | 'file' | 'default'
export type Environment = Readonly<Record<string, string | undefined>>

export interface Layer {
  readonly source: Source
  /** Undefined where the layer does not give it. */
  find(name: SettingName): unknown
  /** What the place is called there, e.g. `DROVER_PORT` or `chains[0].finality`. */
  place(name: SettingName): string
}
