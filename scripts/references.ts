/** Every page under docs/reference, by name: built from the code, so that neither can say what the other does not. */
import { buildOpenApi } from '../packages/server/src/api/build-open-api.ts'
import { ROUTES } from '../packages/server/src/api/routes.ts'
import { buildConfigurationReference } from './configuration-reference.ts'
import { buildErrorsReference } from './errors-reference.ts'
import { buildMetricsReference } from './metrics-reference.ts'

export const REFERENCE_FOLDER = new URL('../docs/reference/', import.meta.url)

export function buildReferences(): ReadonlyMap<string, string> {
  return new Map([
    ['configuration.md', buildConfigurationReference()],
    ['errors.md', buildErrorsReference()],
    ['metrics.md', buildMetricsReference()],
    ['openapi.json', `${JSON.stringify(buildOpenApi(ROUTES), null, 2)}\n`],
  ])
}
