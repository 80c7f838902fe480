/** The runbook says at its top which entries need a key with the scope `admin`: all that have such a command, no others. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** What a key with `read` and `operate` may not do. */
const NEEDS_ADMIN = /`drover (?:signer policy|rules set|webhook) /

test('the entries of the runbook that need the scope admin are named at its top', () => {
  const [top = '', ...entries] = readFileSync(new URL('../../docs/runbook.md', import.meta.url), 'utf8').split('\n## ')
  const needing = entries.filter((entry) => NEEDS_ADMIN.test(entry)).map((entry) => entry.slice(0, entry.indexOf('\n')))
  const named = /These entries need it:(?<list>[^.]*)\./.exec(top.replaceAll('\n', ' '))?.groups?.list ?? ''
  expect([...named.matchAll(/\[(?<entry>[^\]]+)\]/g)].map(({ groups }) => groups?.entry)).toEqual(needing)
})
