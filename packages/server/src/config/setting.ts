/** One row of the settings table. */
import type { SettingType } from './values/setting-type.ts'

export interface Setting<T> {
  readonly type: SettingType<T>
  /** Absent: it has to be given. */
  readonly fallback?: T
  readonly description: string
  /** The strings in its value that must never be seen. A secret has no flag: anybody can read a process's arguments. */
  readonly secrets?: (value: T) => readonly string[]
  /** May be given for each chain under `chains` in the file. */
  readonly perChain?: true
  /** Cannot be given in the file, since it says where the file is. */
  readonly outsideFile?: true
}

export function setting<T>(definition: Setting<T>): Setting<T> {
  return definition
}
