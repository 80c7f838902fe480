/** Every generated file, by its path from the root: built from the code, so that neither can say what the other does not. */
import { buildOpenApi } from '../packages/server/src/api/openapi/build-open-api.ts'
import { ROUTES } from '../packages/server/src/api/routes.ts'
import { buildApiTypes } from './api-types.ts'
import { buildArchitecture } from './architecture-tables.ts'
import { buildCliReference } from './cli-reference.ts'
import { buildConfigurationReference } from './configuration-reference.ts'
import { buildErrorsReference } from './errors-reference.ts'
import { buildGuarantees } from './guarantees.ts'
import { buildLicensesReference } from './licenses-reference.ts'
import { buildMetricsReference } from './metrics-reference.ts'
import { buildReliability } from './reliability/build-reliability.ts'
import { buildSharedSources } from './shared-sources.ts'
import { buildTimerVectors } from './timer-vectors.ts'

export const ROOT = new URL('../', import.meta.url)

/** Nothing in these is written by hand. */
export const GENERATED_FOLDERS = ['docs/reference', 'packages/client/src/generated', 'packages/dashboard/src/generated']

export function buildReferences(): ReadonlyMap<string, string> {
  const openApi = buildOpenApi(ROUTES)
  return new Map([
    ['ARCHITECTURE.md', buildArchitecture()],
    ['docs/guarantees.md', buildGuarantees()],
    ['docs/reliability.md', buildReliability()],
    ['docs/reference/cli.md', buildCliReference()],
    ['docs/reference/configuration.md', buildConfigurationReference()],
    ['docs/reference/errors.md', buildErrorsReference()],
    ['docs/reference/licenses.md', buildLicensesReference()],
    ['docs/reference/metrics.md', buildMetricsReference()],
    ['docs/reference/openapi.json', `${JSON.stringify(openApi, null, 2)}\n`],
    ['packages/client/src/generated/api-types.ts', buildApiTypes(openApi)],
    ...buildSharedSources(),
    ['packages/timers/vectors/cip5.json', buildTimerVectors()],
  ])
}
