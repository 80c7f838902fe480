/** The console in a real browser, against a real service: every page, the search, the long list, and what a person does there. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import { eventually } from '../setup/eventually.ts'
import { createFirstKey } from '../setup/first-key.ts'
import { startService, type TestService } from '../setup/service.ts'
import { CHROMIUM, launchBrowser, openWatched } from './chromium.ts'

const PAGES = ['Overview', 'Transactions', 'Signers', 'Timers', 'Webhooks', 'Access', 'Cluster'] as const
const STORED = 120

interface Receiver {
  readonly url: string
  readonly seen: { readonly id: string; readonly type: string }[]
  stop(): Promise<void>
}

/** Takes deliveries, and thanks for them. */
async function startReceiver(): Promise<Receiver> {
  const seen: { readonly id: string; readonly type: string }[] = []
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as { readonly type: string }
    seen.push({ id: String(request.headers['webhook-id']), type: body.type })
    response.end('thanks')
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/drover`,
    seen,
    stop: () => new Promise((closed) => server.close(() => closed())),
  }
}

describe.skipIf(CHROMIUM === undefined)('the console', () => {
  let service: TestService
  let browser: Browser
  let receiver: Receiver
  const signer = developmentAccount(0)
  const url = () => service.drover.url

  beforeAll(async () => {
    const env = { DROVER_FINALITY: '1', DROVER_WEBHOOK_ALLOW_PRIVATE: 'true' }
    service = await startService({ chain: { blockTimeSeconds: 1 }, env })
    receiver = await startReceiver()
    browser = await launchBrowser()
    const transactions = Array.from({ length: STORED }, (_, index) => ({
      from: signer.address,
      to: developmentAccount(9).address,
      value: String(index + 1),
      requestId: `order-${String(index).padStart(4, '0')}`,
      metadata: { customer: `c${index}` },
    }))
    expect(await service.drover.post('/v1/transactions/batch', { transactions })).toMatchObject({ status: 200 })
  })

  afterAll(async () => {
    await browser?.close()
    await receiver?.stop()
    await service?.stop()
  })

  test.each([
    ['desktop', 1280],
    ['phone', 390],
  ])('each page opens from the navigation without an error, and fits the width (%s)', async (_, width) => {
    const { page, troubles } = await openWatched(browser, url(), width)
    for (const name of PAGES) {
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click()
      await page.getByRole('heading', { level: 1, name }).waitFor({ state: 'attached' })
      expect(
        await page.getByRole('navigation', { name: 'Pages' }).locator('[aria-current=page]').textContent(),
      ).toContain(name)
      await eventually(
        () => page.locator('.loading').count(),
        (count) => count === 0,
      )
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    }
    expect(troubles).toEqual([])
    await page.context().close()
  })

  test('the page asks no other host for anything, and runs nothing inline', async () => {
    const { page } = await openWatched(browser, 'about:blank')
    const hosts = new Set<string>()
    page.on('request', (request) => void hosts.add(new URL(request.url()).host))
    const answer = await page.goto(url())
    await page.getByText('Local chain').first().waitFor()
    const policy = answer?.headers()['content-security-policy'] ?? ''
    expect(policy).not.toContain('unsafe')
    expect([...hosts]).toEqual([new URL(url()).host])
    await page.context().close()
  })

  test.each([
    ['the beginning of a request id', 'order-0007', 'order-0007'],
    ['metadata', 'customer=c9', 'order-0009'],
  ])('the search finds a transaction by %s, with the keyboard alone', async (_, typed, requestId) => {
    const { page, troubles } = await openWatched(browser, url())
    await page.getByRole('button', { name: 'Search' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type(typed)
    await page.getByRole('option').filter({ hasText: requestId }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText(requestId).first().waitFor()
    expect(page.url()).toContain('#/tx/')
    expect(troubles).toEqual([])
    await page.context().close()
  })

  test('the search finds a transaction by hash and by nonce, a signer and a page', async () => {
    const { body } = await service.drover.get('/v1/transactions?requestId=order-0000')
    const { hash, nonce, id } = await eventually(
      async () => (await service.drover.get(`/v1/transactions/${body.items[0].id}`)).body,
      (tx) => tx.hash !== null,
    )
    const { page } = await openWatched(browser, url())
    const field = page.getByRole('combobox')
    await page.getByRole('button', { name: 'Search' }).click()
    for (const [typed, found, href] of [
      [hash, 'order-0000', `#/tx/${id}`],
      [String(nonce), 'order-0000', `#/tx/${id}`],
      [signer.address.slice(2, 10), 'Signer', `#/signer/${signer.address}`],
      ['audit', 'Access', '#/access'],
    ] as const) {
      await field.fill(typed)
      await page.getByRole('option', { selected: true }).filter({ hasText: found }).waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL(`**/${href}`)
      await page.keyboard.press('Control+k')
    }
    await page.context().close()
  })

  test('the list keeps its filter in the address, scrolls to its end, and draws only what is in view', async () => {
    const { page, troubles } = await openWatched(browser, `${url()}/#/transactions?order=asc`)
    await page.getByText('order-0000').waitFor()
    const rows = () => page.locator('tr.tx-row').count()
    expect(await rows()).toBeLessThan(60)
    await eventually(
      async () => {
        await page.evaluate("document.querySelector('.tx-scroll').scrollTo(0, 1e9)")
        return page.getByText(`order-0${STORED - 1}`).count()
      },
      (count) => count === 1,
    )
    expect(await rows()).toBeLessThan(60)

    await page.getByLabel('Filter by receiver').fill('order-0011')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/#/transactions?find=order-0011&order=asc')
    await page.getByText('order-0011').waitFor()
    expect(await rows()).toBe(1)

    await page.getByRole('button', { name: 'Save this view' }).click()
    await page.getByLabel('Name of the view').fill('Eleven')
    await page.keyboard.press('Enter')
    await page.goto(`${url()}/#/transactions`)
    await page.reload()
    await page.getByRole('link', { name: 'Eleven' }).click()
    await page.getByText('order-0011').waitFor()
    expect(troubles).toEqual([])
    await page.context().close()
  })

  test('many are cancelled at once: what would happen is shown first, and each gets the reason', async () => {
    const paused = { chainId: 31_337, reason: 'test' }
    expect(await service.drover.post(`/v1/signers/${signer.address}/pause`, paused)).toMatchObject({ status: 200 })
    const ids: string[] = []
    for (const requestId of ['bulk-1', 'bulk-2']) {
      const body = { from: signer.address, to: signer.address, requestId }
      ids.push((await service.drover.post('/v1/transactions', body)).body.id)
    }
    const { page, troubles } = await openWatched(browser, `${url()}/#/transactions?find=bulk-`)
    await page.getByText('bulk-2').waitFor()
    await page.getByLabel('Select the rows in view').check()
    await page.getByText('2 selected').waitFor()
    await page.getByRole('button', { name: 'Cancel 2' }).click()
    expect(await page.locator('.bulk-preview tr').count()).toBe(2)
    await page.getByLabel('Reason').fill('not needed any more')
    await page.getByRole('button', { name: 'Cancel 2' }).last().click()
    await page.getByText('2 done.').first().waitFor()
    for (const id of ids) {
      expect((await service.drover.get(`/v1/transactions/${id}`)).body.state).toBe('CANCELLED')
      const { body } = await service.drover.get(`/v1/transactions/${id}/history`)
      expect(JSON.stringify(body)).toContain('not needed any more')
    }
    expect(troubles).toEqual([])
    await service.drover.post(`/v1/signers/${signer.address}/resume`, paused)
    await page.context().close()
  })

  test('a webhook is made, tested, and its delivery resent; its secret is rotated; it is deleted', async () => {
    const { page, troubles } = await openWatched(browser, `${url()}/#/webhooks`)
    await page.getByRole('button', { name: 'New webhook' }).click()
    await page.getByLabel('URL, https').fill(receiver.url)
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText(/^whsec_/).waitFor()
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByRole('link', { name: receiver.url }).click()

    await page.getByRole('button', { name: 'Send a test' }).click()
    const delivery = page.locator('.delivery').filter({ hasText: 'webhook.test' })
    await delivery.getByText('delivered').waitFor()
    await delivery.locator('summary').click()
    await delivery.getByText('thanks').waitFor()
    const ids = () => receiver.seen.filter(({ type }) => type === 'webhook.test').map(({ id }) => id)
    expect(ids()).toHaveLength(1)
    await delivery.getByRole('button', { name: 'Send it again' }).click()
    await eventually(
      async () => ids(),
      (seen) => seen.length === 2,
    )
    expect(new Set(ids()).size).toBe(1)

    await page.getByRole('button', { name: 'Rotate secret' }).click()
    await page.getByRole('button', { name: 'Rotate secret' }).click()
    await page.getByText(/^whsec_/).waitFor()
    expect(troubles).toEqual([])
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('This cannot be undone').waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No webhooks yet').waitFor()
    await page.context().close()
  })

  test('a key is made, shown once and revoked, and the audit log says so', async () => {
    const grant = { name: 'root', scopes: ['admin', 'read'] }
    const { page, troubles } = await openWatched(browser, `${url()}/#/access`)
    await page.getByText('drover key create').waitFor()
    expect(await page.getByRole('button', { name: 'New key' }).count()).toBe(0)
    expect(troubles).toEqual([])
    const { token } = await createFirstKey(service.database.url, grant)
    await page.getByLabel('API key', { exact: true }).fill(token)
    await page.getByRole('button', { name: 'Use this key' }).click()
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByLabel('Name: who uses it').fill('second')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByText(/^drv_/).waitFor()
    await page.getByRole('button', { name: 'I have stored it' }).click()
    const row = page.getByRole('row').filter({ hasText: 'second' })
    await row.getByRole('button', { name: 'Revoke' }).click()
    await row.getByText('This cannot be undone').waitFor()
    await row.getByRole('button', { name: 'Revoke' }).click()
    await row.getByText('revoked').waitFor()
    await page.getByText('Revoke API key').waitFor()
    await page.context().close()
  })
})
