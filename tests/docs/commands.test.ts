/**
 * Every command of every guide is run, as it stands there, against one service; or the comment before its block says which
 * test runs it, or why none can.
 */
import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import { startCli } from '../setup/cli-terminal.ts'
import { startService, type TestService } from '../setup/service.ts'
import { type GuideShell, openGuideShell, STUCK_AFTER_MS } from './guide-shell.ts'
import { listGuides, readCommands, readGuide } from './read-commands.ts'

const ROOT = new URL('../../', import.meta.url)
const guides = listGuides().map((path) => ({ path, blocks: readCommands(path) }))
const marked = guides.flatMap(({ path, blocks }) =>
  blocks.flatMap(({ place, mark }) => (mark === undefined ? [] : [{ path, place, mark }])),
)
const run = guides
  .map(({ path, blocks }) => ({ path, blocks: blocks.filter(({ mark }) => mark === undefined) }))
  .filter(({ blocks }) => blocks.length > 0)

describe('the search', () => {
  const read = (text: string) => readCommands('a.md', text)

  test('finds blocks, also in lists, with their marks', () => {
    expect(read('1. So:\n\n   ```sh\n   drover tx list\n   ```\n')).toEqual([
      { place: 'a.md:4', text: 'drover tx list' },
    ])
    expect(read('<!-- not run: needs a cloud -->\n\n```sh\nx\n```')[0]?.mark).toBe('not run: needs a cloud')
    expect(read('```ts\nx\n```\n')).toEqual([])
  })

  test('refuses other names for a shell, and blocks without an end', () => {
    expect(() => read('```bash\nx\n```\n')).toThrow('a.md:1')
    expect(() => read('```sh\nx\n')).toThrow('a.md:1')
  })
})

test.each(marked)('$place is marked: $mark', ({ path, mark }) => {
  const [, by] = /^run by (\S+)$/.exec(mark) ?? []
  if (by === undefined) return expect(mark).toMatch(/^not run: .{10}/)
  expect(existsSync(new URL(by, ROOT)), by).toBe(true)
  expect(readGuide(by)).toContain(path)
})

describe('against a service', { timeout: STUCK_AFTER_MS + 60_000 }, () => {
  let service: TestService
  let shell: GuideShell

  beforeAll(async () => {
    service = await startService({
      chain: { blockTimeSeconds: 1 },
      signers: [0, 1, 2, 3, 4].map(developmentAccount),
      env: {
        DROVER_FINALITY: '1',
        DROVER_BLOCK_TIME: '1s',
        DROVER_SIGNER_POLICY: 'fast',
        DROVER_WEBHOOK_ALLOW_PRIVATE: 'true',
      },
    })
    shell = await openGuideShell(await describeShell(service))
  })

  afterAll(async () => {
    await shell?.close()
    await service?.stop()
  })

  test.concurrent.for([
    ['a command that does not exist', 'drover tx lst'],
    ['a refused request', 'curl -s http://127.0.0.1:4747/v1/transactions/nope'],
    ['another status than the guide says', '# 202\ncurl -s http://127.0.0.1:4747/v1/signers'],
    ['a variable that is not a setting', 'DROVER_VAULT_ULR=https://vault:8200 drover start'],
    ['an npm script that no test runs', 'npm run nothing'],
    ['the beginning of a pipe', 'drover tx show nope | cat'],
    ['a variable that nobody set', 'drover tx show $NOBODY'],
  ])('%s fails the test, and names the place', async ([, text]) => {
    const blocks = [
      { place: 'a.md:1', text: 'drover signer list' },
      { place: 'a.md:7', text: text ?? '' },
    ]
    await expect(shell.paste(blocks)).rejects.toThrow(/a\.md:7|NOBODY: unbound/)
  })

  // These two mostly wait, for blocks and for programs to start. They share no signer with the others.
  const isLong = ({ path }: { path: string }) => ['docs/tutorial.md', 'docs/migrate.md'].includes(path)

  test.concurrent.for(run.filter(isLong))('$path', async ({ blocks }) => {
    await shell.paste(blocks, { SIGNER: developmentAccount(0).address })
  })

  test.concurrent('the other guides, one after the other', async () => {
    for (const { blocks } of run.filter((guide) => !isLong(guide))) await shell.paste(blocks)
  })
})

/** What the guides leave to the reader: addresses, ids and files of his own. */
async function describeShell({ database, drover, chain }: TestService) {
  const createKey = async (name: string, scope: string): Promise<{ id: string; token: string }> => {
    const args = ['key', 'create', '--json', '--name', name, '--scope', scope]
    const env = { DROVER_DATABASE_URL: database.url }
    return JSON.parse((await startCli(args, { env }).ended).stdout)
  }
  const addressOf = (index: number): string => developmentAccount(index).address
  const [SIGNER, TO, CONTRACT] = [addressOf(2), addressOf(9), addressOf(9)]
  const [OLD_SIGNER, ACCOUNT] = [addressOf(3), addressOf(4)]
  const call = { from: SIGNER, to: TO, data: '0x00' }
  const { id: ID } = (await drover.post('/v1/transactions', call)).body
  const { id: TIMER } = (await drover.post('/v1/timers', { ...call, schedule: { type: 'interval', blocks: 9 } })).body
  const [{ token }, key, oldKey] = [
    await createKey('guides', 'read,send,operate,admin,approve,priority'),
    await createKey('a program', 'read,send'),
    await createKey('a retired program', 'read,send'),
  ]
  return {
    env: {
      DROVER_URL: drover.url,
      DROVER_API_KEY: token,
      DROVER_DATABASE_URL: database.url,
      DROVER_RPC_URL: chain.rpcUrl,
      DROVER_SIGNER_KEYS: developmentAccount(0).privateKey,
      RPC_URL: chain.rpcUrl,
      PRIVATE_KEY: developmentAccount(4).privateKey,
      BLOCKS: '1',
      ...{ SIGNER, TO, CONTRACT, OLD_SIGNER, ACCOUNT, ID, TIMER, KEY: key.id, OLD_KEY: oldKey.id },
    },
    files: {
      'payouts.csv': /```csv\n(.*?)```/s.exec(readGuide('docs/cli.md'))?.[1] ?? '',
      'payouts.json': '{"mode":"report","value":{"perDay":"5000000000000000000"}}',
      'key.txt': developmentAccount(8).privateKey,
      'secrets/drover.env':
        'DROVER_KEYSTORE_DIR=/etc/drover/keys\nDROVER_KEYSTORE_PASSWORD=file:/etc/drover/password\n',
      'secrets/phrase': 'test test test test test test test test test test test junk',
      'secrets/vault': 'a token',
    },
    url: drover.url,
  }
}
