/** The settings of the service: their table, how they are read from flags, environment and file, and how secrets among them are hidden. */

export { toGasOracle } from '../config/config.ts'
export { readConfigFile } from '../config/config-file.ts'
export { ConfigProblems } from '../config/config-problems.ts'
export { findKeyConfig } from '../config/key-config.ts'
export { KEY_SETTING_NAMES } from '../config/key-settings.ts'
export type { Environment } from '../config/layer.ts'
export { findContradictions, loadConfig, secretsOf } from '../config/load-config.ts'
export { findNearestName } from '../config/nearest-name.ts'
export {
  type ConfigInput,
  type Resolved,
  type ResolvedSettings,
  resolveSettings,
} from '../config/resolve-settings.ts'
export {
  CHAIN_SETTING_NAMES,
  environmentVariableOf,
  findSettingName,
  flagOf,
  isSecret,
  SETTING_NAMES,
  type SettingName,
  settingOf,
} from '../config/settings.ts'
export { duration } from '../config/values/duration.ts'
export { SEND_TO_ALL_NODES } from '../config/values/send-urls.ts'
export { boolean, integer, orWord, type SettingType } from '../config/values/setting-type.ts'
export { createRedactor, type Redactor } from '../telemetry/redactor.ts'
