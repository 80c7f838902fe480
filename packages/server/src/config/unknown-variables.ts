/** Finds `DROVER_…` variables that mean nothing: a misspelt setting must not be ignored in silence. */
import type { ConfigProblem } from './config-problems.ts'
import type { Environment } from './layer.ts'
import { findNearestName } from './nearest-name.ts'
import { environmentVariableOf, SETTING_NAMES } from './settings.ts'

/**
 * Not ours to judge: what Kubernetes puts into every container beside a service named "drover", what our own tests hand
 * to their processes, and what the commands that talk to a running service read.
 */
const FOREIGN =
  /^DROVER_(?:SERVICE_(?:HOST|PORT)(?:_\w+)?|PORT_\d+_(?:TCP|UDP)(?:_\w+)?|TEST_\w+|URL|API_KEY|LOCK_OWNER)$/

export function unknownVariables(env: Environment): readonly ConfigProblem[] {
  const known = SETTING_NAMES.map(environmentVariableOf)
  return Object.keys(env)
    .filter((variable) => variable.startsWith('DROVER_') && !known.includes(variable) && !FOREIGN.test(variable))
    .map((variable) => {
      const nearest = findNearestName(variable, known)
      const hint = nearest === null ? 'see `drover config --help`' : `did you mean ${nearest}?`
      return { place: variable, message: `is not a setting; ${hint}` }
    })
}
