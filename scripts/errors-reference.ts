/** The reference page of all error codes, out of the table of codes. */
import { STATUS_OF } from '../packages/server/src/api/contract/problem.ts'
import { EXIT } from '../packages/server/src/cli/exit-code.ts'
import { APP_ERRORS, type AppErrorCode } from '../packages/server/src/core/app-error.ts'
import { markdownTable } from './markdown-table.ts'

const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'Done, or stopped in an orderly way.',
  failure: 'Failed.',
  usage: 'Wrong usage or configuration; nothing was done.',
  interrupted: 'Interrupted before an orderly stop was finished.',
}

export function buildErrorsReference(): string {
  const codes = Object.keys(APP_ERRORS) as readonly AppErrorCode[]
  return `# Errors

Every error of the HTTP API is a problem document (RFC 9457, \`application/problem+json\`) with a stable \`code\`. Programs may act
on the code; \`detail\` is for people and may change.

${markdownTable(
  ['code', 'status', 'meaning'],
  codes.map((code) => [`\`${code}\``, String(STATUS_OF[code]), APP_ERRORS[code]]),
)}

## Exit codes of \`drover\`

${markdownTable(['code', 'meaning'], exitRows())}
`
}

function exitRows(): readonly (readonly string[])[] {
  const names = Object.keys(EXIT) as readonly (keyof typeof EXIT)[]
  return names.map((name) => [String(EXIT[name]), EXIT_MEANINGS[name]])
}
