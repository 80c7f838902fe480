/** What docs/operations.md says to write into the files of Patroni and HAProxy is what tests/cluster/patroni.test.ts runs with. */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { composeHaproxy, composePatroni } from '../setup/patroni/patroni-files.ts'

const MEMBERS = ['one', 'two'].map((name) => ({ name, home: '/h', port: 5432, peerPort: 5432, restPort: 8008 }))

async function readBlock(title: string): Promise<string> {
  const guide = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8')
  const block = guide.split('```').find((each) => each.split('\n')[1] === `# ${title}`)
  if (block === undefined) throw new Error(`the guide has no ${title}`)
  return block.split('\n').slice(2).join('\n')
}

test('patroni.yml', async () => {
  const [member] = MEMBERS
  if (member === undefined) throw new Error('no member')
  const times = { ttl: 30, loop_wait: 10, retry_timeout: 10 }
  const plan = { synchronous: true, times, etcdPort: 2379, binaries: '/b', superuser: 'drover' }
  expect(parse(composePatroni(member, plan))).toMatchObject(parse(await readBlock('patroni.yml')))
})

test('haproxy.cfg', async () => {
  const guide = (await readBlock('haproxy.cfg')).replaceAll(/10\.0\.0\.\d/g, '127.0.0.1').trim()
  expect(composeHaproxy(5000, MEMBERS).trim()).toBe(guide)
})
