/** The reference page of all error codes, out of the table of codes. */

import { EXIT, EXIT_MEANINGS } from '../packages/cli/src/exit-code.ts'
import { ERROR_ADVICE } from '../packages/server/src/api/contract/resources/error-advice.ts'
import { STATUS_OF } from '../packages/server/src/api/contract/values/problem.ts'
import { ROUTES } from '../packages/server/src/api/routes.ts'
import { APP_ERRORS, type AppErrorCode } from '../packages/server/src/core/app-error.ts'
import { markdownTable } from './markdown-table.ts'

export function buildErrorsReference(): string {
  const codes = Object.keys(APP_ERRORS) as readonly AppErrorCode[]
  return `# Errors

Every error of the HTTP API is a problem document (RFC 9457, \`application/problem+json\`) with a stable \`code\`. Its \`type\` is
\`urn:drover:error:\` and the code. Programs can rely on the code; \`detail\` is for people and may change.

${markdownTable(
  ['code', 'status', 'meaning', 'what to do'],
  codes.map((code) => [`\`${code}\``, String(STATUS_OF[code]), APP_ERRORS[code], ERROR_ADVICE[code]]),
)}

## Where they come from

Codes that are not listed here can come from any operation.

${markdownTable(['code', 'operations'], sourceRows(codes))}

## Exit codes of \`drover\`

${markdownTable(['code', 'meaning'], exitRows())}
`
}

function sourceRows(codes: readonly AppErrorCode[]): readonly (readonly string[])[] {
  return codes.flatMap((code) => {
    const sources = ROUTES.filter(({ errors }) => errors.includes(code)).map(({ operationId }) => operationId)
    return sources.length === 0 ? [] : [[`\`${code}\``, sources.join(', ')]]
  })
}

function exitRows(): readonly (readonly string[])[] {
  const names = Object.keys(EXIT) as readonly (keyof typeof EXIT)[]
  return names.map((name) => [String(EXIT[name]), EXIT_MEANINGS[name]])
}
