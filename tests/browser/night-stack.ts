/**
 * A whole stack on which everything that can go wrong at night can be made to: a chain that makes a block a second, a
 * proxy before it, a relay before the database, one service with a signer for each scenario, and its page in a browser.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium, type Locator, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { developmentAccount, type TestChain } from '../setup/anvil.ts'
import { type DroverProcess, startDrover } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { startGround } from '../setup/ground.ts'
import { type RpcProxy, startRpcProxy } from '../setup/rpc-proxy.ts'
import { createTcpRelay, type TcpRelay } from '../setup/tcp-relay.ts'

/** Where to put pictures of the page, one for each scenario; none are made without it. */
const PICTURES = process.env.DROVER_SCREENSHOTS

export interface NightStack {
  readonly chain: TestChain
  readonly proxy: RpcProxy
  /** Leads to the database. */
  readonly relay: TcpRelay
  readonly drover: DroverProcess
  readonly page: Page
  /** Another node on the same database and chain. */
  startPeer(signerKeys: readonly string[]): Promise<DroverProcess>
  openPage(url: string): Promise<Page>
  send(from: string, intent?: Record<string, unknown>): Promise<string>
  /** What the overview says needs a person, about this. */
  concern(text: string): Locator
  picture(page: Page, name: string): Promise<void>
  stop(): Promise<void>
}

const SIGNERS = 6

const SETTINGS = {
  DROVER_FINALITY: '2',
  DROVER_STANDING_AFTER: '3s',
  DROVER_RESUBMIT_INTERVAL: '1s',
  DROVER_LEASE_DURATION: '3s',
  DROVER_LEASE_RENEW_INTERVAL: '700ms',
  DROVER_BALANCE_INTERVAL: '1s',
}

export async function startNightStack(chromiumPath: string): Promise<NightStack> {
  const ground = await startGround({ blockTimeSeconds: 1 })
  const { chain, database } = ground
  const proxy = await startRpcProxy(chain.rpcUrl)
  const databaseUrl = new URL(database.url)
  const relay = await createTcpRelay({ host: databaseUrl.hostname, port: Number(databaseUrl.port) })
  await relay.open()
  databaseUrl.hostname = '127.0.0.1'
  databaseUrl.port = String(relay.port)
  const start = (signerKeys: readonly string[]) =>
    startDrover({ databaseUrl: databaseUrl.href, rpcUrl: proxy.url, signerKeys, env: SETTINGS })
  const keys = Array.from({ length: SIGNERS }, (_, index) => developmentAccount(index).privateKey)
  const drover = await start(keys)
  const browser: Browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] })
  const peers: DroverProcess[] = []

  async function openPage(url: string): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    // Long: nothing may depend on the pace of the machine.
    context.setDefaultTimeout(200_000)
    const page = await context.newPage()
    await page.goto(url)
    return page
  }

  const page = await openPage(drover.url)
  return {
    chain,
    proxy,
    relay,
    drover,
    openPage,
    page,
    startPeer: async (signerKeys) => {
      const peer = await start(signerKeys)
      peers.push(peer)
      return peer
    },
    send: async (from, intent = {}) => {
      const body = { from, to: developmentAccount(9).address, value: '1', ...intent }
      const answer = await drover.post('/v1/transactions', body)
      expect(answer).toMatchObject({ status: 202 })
      return answer.body.id
    },
    concern: (text) =>
      page.getByRole('region', { name: 'Needs a person' }).getByRole('listitem').filter({ hasText: text }),
    picture: async (page, name) => {
      if (PICTURES === undefined) return
      mkdirSync(PICTURES, { recursive: true })
      await page.screenshot({ path: join(PICTURES, `${name.replaceAll(' ', '-')}.png`), fullPage: true })
    },
    stop: async () => {
      await browser.close()
      for (const peer of peers) await peer.end('SIGKILL')
      await drover.end('SIGKILL')
      await relay.close()
      await proxy.stop()
      await ground.stop()
    },
  }
}

/** What has to be seen at each of the five places. */
export interface Expected {
  readonly page: readonly string[]
  readonly explain: { readonly id: string; readonly says: readonly string[] }
  readonly readyz: readonly string[]
  /** A metric's line without its value, and the value. */
  readonly metric: { readonly line: RegExp; readonly value: number }
  readonly log: readonly string[]
}

export interface Seconds {
  readonly page: number
  readonly explain: number
  readonly readyz: number
  readonly metric: number
  readonly log: number
}

/** Waits until all five places say it; answers how long after the beginning each did. */
export async function awaitEverywhere(stack: NightStack, expected: Expected, since: number): Promise<Seconds> {
  const { drover, page } = stack
  const timed = async (wait: Promise<unknown>): Promise<number> => {
    await wait
    return (performance.now() - since) / 1_000
  }
  const hasAll = (texts: readonly string[]) => (said: string) => texts.every((text) => said.includes(text))
  const says = (read: () => Promise<string>, texts: readonly string[]) => eventually(read, hasAll(texts))
  const [onPage, explain, readyz, metric, log] = await Promise.all([
    timed(says(() => readPage(page), expected.page.map(withoutBackticks))),
    timed(
      says(
        async () => JSON.stringify((await drover.get(`/v1/transactions/${expected.explain.id}/explain`)).body),
        expected.explain.says,
      ),
    ),
    timed(says(async () => JSON.stringify((await drover.get('/readyz')).body), expected.readyz)),
    timed(
      eventually(
        () => readMetric(drover, expected.metric.line),
        (value) => value === expected.metric.value,
      ),
    ),
    timed(says(async () => drover.output(), expected.log)),
  ])
  return { page: onPage, explain, readyz, metric, log }
}

async function readPage(page: Page): Promise<string> {
  return (await page.locator('body').textContent()) ?? ''
}

/** What is to be typed looks like it on the page, and stands between backticks elsewhere. */
function withoutBackticks(text: string): string {
  return text.replaceAll('`', '')
}

async function readMetric(drover: DroverProcess, line: RegExp): Promise<number | null> {
  const lines = String((await drover.get('/metrics')).body).split('\n')
  const found = lines.find((each) => line.test(each))
  return found === undefined ? null : Number(found.split(' ').at(-1))
}
