/** Spending rules on the console: what a signer may spend, and a large transaction that two people approve by a click. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import { createFirstKey } from '../setup/first-key.ts'
import { startService, type TestService } from '../setup/service.ts'
import { CHROMIUM, launchBrowser, openWatched, type WatchedPage } from './chromium.ts'

const [signer, payee] = [developmentAccount(0), developmentAccount(9)]
const TOKEN = '0xdAC17F958D2ee523a2206206994597C13D831ec7'
const ETHER = 10n ** 18n
const wei = (tenths: bigint) => ((ETHER * tenths) / 10n).toString()

describe.skipIf(CHROMIUM === undefined)('spending rules on the console', () => {
  let service: TestService
  let browser: Browser
  let root = ''
  const tokens = new Map<string, string>()
  const call = (method: string, path: string, body?: unknown, token = root) =>
    service.drover.request(method, path, body, { authorization: `Bearer ${token}` })

  beforeAll(async () => {
    service = await startService({
      chain: { blockTimeSeconds: 1 },
      env: { DROVER_FINALITY: '1' },
      prepare: async ({ url }) => {
        root = (await createFirstKey(url, { name: 'root', scopes: ['read', 'send', 'approve', 'admin'] })).token
      },
    })
    const keys = {
      admin: ['read', 'admin'],
      viewer: ['read'],
      shop: ['read', 'send'],
      ann: ['read', 'approve'],
      bob: ['read', 'approve'],
    }
    for (const [name, scopes] of Object.entries(keys)) {
      const made = await call('POST', '/v1/api-keys', { name, scopes })
      expect(made).toMatchObject({ status: 201 })
      tokens.set(name, made.body.token)
    }
    const rules = {
      targets: [{ to: payee.address }, { to: TOKEN, selectors: ['0xa9059cbb'] }],
      value: { perTransaction: wei(20n), perDay: wei(50n) },
      gas: { perTransaction: wei(1n) },
      tokens: [{ token: TOKEN, perTransaction: '700' }],
      count: { perHour: 200 },
      approval: { above: wei(5n), of: 2, keys: ['ann', 'bob'] },
    }
    expect(await call('PUT', `/v1/signers/${signer.address}/rules`, rules)).toMatchObject({ status: 200 })
    browser = await launchBrowser()
  })

  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })

  /** Opens a page as the holder of a key. */
  async function openAs(name: string, hash: string): Promise<WatchedPage> {
    const watched = await openWatched(browser, `${service.drover.url}/#/${hash}`)
    await watched.page.getByLabel('API key').fill(tokens.get(name) ?? '')
    await watched.page.getByRole('button', { name: 'Use this key' }).click()
    return watched
  }

  /** The browser notes what the service refuses: all before a key is given, and webhooks to a key without `admin`. */
  const isUnexpected = (trouble: string) => !/status of 40[13]/.test(trouble)

  async function send(value: string): Promise<string> {
    const body = { from: signer.address, to: payee.address, value }
    const sent = await call('POST', '/v1/transactions', body, tokens.get('shop'))
    expect(sent).toMatchObject({ status: 202 })
    return sent.body.id
  }

  async function approve(page: Page, reason: string): Promise<void> {
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText('counts as one approval').waitFor()
    await page.getByLabel('Reason').fill(reason)
    await page.getByRole('button', { name: 'Approve this transaction' }).click()
  }

  test('the page of a signer says each rule in words, with what is used of it', async () => {
    await send(wei(5n))
    const { page, troubles } = await openAs('ann', `signer/${signer.address}`)
    const panel = page.getByRole('region', { name: 'Spending rules' })
    await panel.waitFor()
    const facts = await panel
      .locator('.fact')
      .evaluateAll((all) => all.map((fact) => [...fact.children].map((part) => part.textContent?.trim())))
    expect(Object.fromEntries(facts)).toEqual({
      'Value per transaction': 'at most 2 ETH',
      'Fees per transaction': 'at most 0.1 ETH',
      'Token 0xdAC1…1ec7 per transaction': 'at most 700',
      'Value per day': '0.5 ETH of 5 ETH used on Local chain',
      'Transactions per hour': '1 of 200 used on Local chain',
      Approval: 'above 0.5 ETH: 2 of ann, bob within 1 d',
      'May call': expect.stringMatching(/^0xa0Ee…9720 anything.*0xdAC1…1ec7 0xa9059cbb$/),
    })
    const meter = panel.getByRole('meter', { name: 'Value per day on Local chain' })
    expect(await meter.getAttribute('value')).toBe('0.1')
    expect(await panel.textContent()).not.toMatch(/perDay|perHour|perTransaction/)
    expect(troubles.filter(isUnexpected)).toEqual([])
    await page.context().close()
  })

  test('rules are changed on the page: what changes is shown first, and the reason is in the audit log', async () => {
    const { page } = await openAs('admin', `signer/${signer.address}`)
    await page.getByRole('button', { name: 'Change the rules' }).click()
    const form = page.getByRole('form', { name: 'Spending rules' })
    const text = form.getByLabel('Rules as JSON')
    const rules = JSON.parse(await text.inputValue())
    await text.fill('{')
    expect(await form.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await text.fill(JSON.stringify({ ...rules, count: { perHour: '150' } }))
    await form.getByRole('list', { name: 'What changes' }).getByText('Transactions per hour').waitFor()
    await form.getByLabel('Reason').fill('fewer at night')
    await form.getByRole('button', { name: 'Save 1 change' }).click()
    await page.getByText(/of 150/).waitFor()
    const audit = await call('GET', '/v1/audit')
    expect(JSON.stringify(audit.body)).toMatch(/count\.perHour: 200 → 150.*; reason: fewer at night/)
    await page.context().close()
  })

  test('a large transaction is found among those to approve, approved by two keys, and confirmed', async () => {
    const id = await send(wei(6n))
    const ann = await openAs('ann', '')
    await ann.page.getByRole('link', { name: 'A transaction waits for approval' }).waitFor()
    await ann.page.getByRole('link', { name: 'Transactions', exact: true }).click()
    await ann.page.getByRole('link', { name: 'To approve' }).click()
    await ann.page.locator(`a[href="#/tx/${id}"]`).first().click()
    await ann.page.getByText('It needs 2 more approvals from ann, bob').waitFor()
    await approve(ann.page, 'matches the invoice')
    await ann.page
      .getByText('It needs 1 more approval from ann, bob; the key that sent it does not count. Approved by ann')
      .waitFor()

    const bob = await openAs('bob', `tx/${id}`)
    await approve(bob.page, 'asked the customer')
    await bob.page.locator('.page-head').getByText('Confirmed').waitFor()
    await bob.page.getByText(/^ann \(.*\): matches the invoice$/).waitFor()
    await bob.page.getByText(/^bob \(.*\): asked the customer$/).waitFor()
    await ann.page.locator('.page-head').getByText('Confirmed').waitFor()
    expect([...ann.troubles, ...bob.troubles].filter(isUnexpected)).toEqual([])
    await ann.page.context().close()
    await bob.page.context().close()
  })

  test('a key that may only read is offered nothing that would be refused, and told why', async () => {
    await call('POST', `/v1/signers/${signer.address}/nonces`, { count: 1, ttlMs: 600_000 })
    const id = await send(wei(8n))
    const { page, troubles } = await openAs('viewer', '')
    const refused: string[] = []
    page.on('response', (answer) => void (answer.status() === 403 && refused.push(answer.url())))
    const needs = (what: string, scope: string) => `${what} needs the scope ${scope}. Your API key viewer has read.`
    const pages: readonly (readonly [string, readonly string[]])[] = [
      ['transactions', [needs('Sending', 'send')]],
      ['send', [needs('Sending', 'send')]],
      [`tx/${id}`, [needs('Acting on it', 'approve or operate')]],
      [
        `signer/${signer.address}`,
        [
          needs('Acting on this signer', 'operate or admin'),
          needs('Taking nonces back', 'operate'),
          needs('Changing the policy', 'admin'),
          needs('Changing the rules', 'admin'),
        ],
      ],
      ['timers', [needs('Creating and changing timers', 'send')]],
      ['webhooks', [needs('Seeing and changing webhooks', 'admin')]],
      ['access', [needs('Seeing and changing API keys and the audit log', 'admin')]],
    ]
    await page.getByText('viewer', { exact: true }).waitFor()
    for (const [hash, reasons] of pages) {
      await page.goto(`${service.drover.url}/#/${hash}`)
      for (const reason of reasons) await page.getByText(reason).waitFor()
      // A cell of the nonce strip only jumps to its reservation.
      const left = await page.locator('main button:visible').allTextContents()
      expect(left.filter((name) => !/^(Copy the|Top up|Show logs|\d+: )/.test(name.trim()))).toEqual([])
    }
    expect(refused).toEqual([])
    expect(troubles.filter((trouble) => !/status of (401|503)/.test(trouble))).toEqual([])

    await page.getByRole('button', { name: 'Use another key' }).click()
    await page.getByLabel('API key').fill(tokens.get('admin') ?? '')
    await page.getByRole('button', { name: 'Use this key' }).click()
    await page.getByRole('button', { name: 'New key' }).waitFor()
    await page.context().close()
  })

  test('who may not approve is told so, and one rejection ends it', async () => {
    const id = await send(wei(7n))
    const shop = await openAs('shop', `tx/${id}`)
    await shop.page
      .getByText('Acting on it needs the scope approve or operate. Your API key shop has read, send.')
      .waitFor()
    expect(await shop.page.getByRole('button', { name: 'Approve' }).count()).toBe(0)

    const { page } = await openAs('bob', `tx/${id}`)
    await page.getByRole('button', { name: 'Reject', exact: true }).click()
    await page.getByLabel('Reason').fill('unknown payee')
    await page.getByRole('button', { name: 'Reject this transaction' }).click()
    await page.locator('.page-head').getByText('Cancelled').waitFor()
    await page.context().close()
    await shop.page.context().close()
  })
})
