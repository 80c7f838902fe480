/** The settings of `startDrover`: the rows of the settings table by their names, with the values that a program would write. */
import type { ChainValues } from '../../config/config.ts'
import type { SettingValues } from '../../config/settings.ts'

/** Durations are milliseconds or texts such as `30s`, amounts are wei or texts such as `0.5ether`. */
type Given<V> = [V] extends [boolean]
  ? boolean
  : [V] extends [string]
    ? V
    : [V] extends [readonly unknown[]]
      ? string | readonly string[]
      : string | number | null

type GivenAll<V> = { readonly [Name in keyof V]?: Given<V[Name]> | undefined }

/** For one chain; the rest comes from the settings of the same name outside `chains`. */
export type ChainSettings = GivenAll<ChainValues>

/** All settings of docs/reference/configuration.md, by name. Nothing is read from the environment or a file. */
export interface DroverSettings extends Omit<GivenAll<SettingValues>, 'configFile' | 'databaseUrl'> {
  /** Your PostgreSQL, 14 or later. Drover creates and upgrades its own schema in it. */
  readonly databaseUrl: string
  /** If there are several: one entry for each. */
  readonly chains?: readonly ChainSettings[] | undefined
}
