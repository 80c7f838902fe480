/** What people do on the console: send and follow, act on a signer, look at what went wrong, all of it also without a mouse. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import { revertingCode } from '../setup/contracts.ts'
import { eventually } from '../setup/eventually.ts'
import { startService, type TestService } from '../setup/service.ts'
import { CHROMIUM, launchBrowser, openWatched } from './chromium.ts'
import { awaitFocusOn, awaitFocusOnId, awaitNewPage, isFocusSeen, openPalette, tabTo } from './keyboard.ts'

const MAX_PHONE_HEIGHT = 2_600

describe.skipIf(CHROMIUM === undefined)('on the console', () => {
  let service: TestService
  let browser: Browser
  const [signer, receiver] = [developmentAccount(0), developmentAccount(9)]
  const url = () => service.drover.url

  beforeAll(async () => {
    service = await startService({ chain: { blockTimeSeconds: 1 }, env: { DROVER_FINALITY: '1' } })
    browser = await launchBrowser()
  })

  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })

  test('a transfer is built, checked, sent, and watched until it is confirmed', async () => {
    const { page, troubles } = await openWatched(browser, `${url()}/#/send`)
    await page.getByLabel('To: an account').fill(receiver.address)
    await page.getByLabel('Value in ETH').fill('0.25')
    await page.getByRole('button', { name: 'Check' }).click()
    await page.getByText('It would succeed now. It takes 21,000 gas').waitFor()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.waitForURL('**/#/tx/**')
    await page.locator('.page-head').getByText('Confirmed').waitFor()
    await page.getByRole('button', { name: 'Show logs' }).click()
    await page.getByText('0 logs').waitFor()
    expect(troubles).toEqual([])
    await page.context().close()
  })

  test('a call is built from a signature, with what is wrong beside its argument, and shown decoded', async () => {
    const { page, troubles } = await openWatched(browser, `${url()}/#/send`)
    await page.getByLabel('To: an account').fill(receiver.address)
    await page.getByLabel('Function or ABI').fill('transfer(address to, uint256 amount)')
    await page.getByLabel('to, address').fill(signer.address)
    await page.getByLabel('amount, uint256').fill('many')
    await page.getByRole('button', { name: 'Check' }).click()
    await page.getByText('must be a whole number').waitFor()
    await page.getByLabel('amount, uint256').fill('1234567')
    await page.getByRole('button', { name: 'Check' }).click()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.waitForURL('**/#/tx/**')
    await page.getByText('1,234,567').waitFor()
    await page.locator('.page-head').getByText('Confirmed').waitFor()
    expect(troubles).toEqual([])
    await page.context().close()
  })

  test('a transfer that cannot be paid is not offered for sending', async () => {
    const { page } = await openWatched(browser, `${url()}/#/send`)
    await page.getByLabel('To: an account').fill(receiver.address)
    await page.getByLabel('Value in ETH').fill('1000000000')
    await page.getByRole('button', { name: 'Check' }).click()
    await page.getByText('It would fail').waitFor()
    expect(await page.getByRole('button', { name: 'Send', exact: true }).count()).toBe(0)
    await page.context().close()
  })

  test('a reserved nonce is seen on the strip, with its holder, and released', async () => {
    const reserve = { count: 1, ttlMs: 600_000 }
    expect(await service.drover.post(`/v1/signers/${signer.address}/nonces`, reserve)).toMatchObject({ status: 201 })
    const { page, troubles } = await openWatched(browser, `${url()}/#/signer/${signer.address}`)
    const reserved = page.locator('.strip-cell.is-reserved')
    await reserved.waitFor()
    expect(await reserved.getAttribute('title')).toContain('held by')
    await page.locator('.operator-form').getByLabel('Reason').fill('the holder is gone')
    await page.getByRole('button', { name: 'Release all' }).click()
    await reserved.waitFor({ state: 'detached' })
    expect(troubles).toEqual([])
    await page.context().close()
  })

  test('a policy is changed after what changes was shown; funds have an address and a QR code', async () => {
    const { page, troubles } = await openWatched(browser, `${url()}/#/signer/${signer.address}`)
    await page.getByRole('button', { name: 'Change the policy' }).click()
    await page.getByLabel('Most per gas').fill('12.5')
    const change = page.getByRole('list', { name: 'What changes' })
    await change.getByText('12.5').waitFor()
    const policy = page.getByRole('form', { name: 'Policy' })
    expect(await policy.getByRole('button', { name: 'Save 1 change' }).isDisabled()).toBe(true)
    await policy.getByLabel('Reason').fill('gas was dear yesterday')
    await policy.getByRole('button', { name: 'Save 1 change' }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    const { body } = await service.drover.get(`/v1/signers/${signer.address}`)
    expect(body.lanes[0].policy.maxFeePerGas).toBe('12500000000')

    await page.getByRole('button', { name: 'Top up' }).click()
    const code = page.getByRole('img', { name: `QR code of ${signer.address}` })
    await eventually(
      async () => (await code.locator('path').getAttribute('d')) ?? '',
      (path) => path.length > 1_000,
    )
    expect(troubles).toEqual([])
    await page.context().close()
  })

  test('a timer is created, seen with its next block, and cancelled', async () => {
    const { page, troubles } = await openWatched(browser, `${url()}/#/timers`)
    await page.getByRole('button', { name: 'New timer' }).click()
    await page.getByLabel('Name (optional)').fill('heartbeat')
    await page.getByLabel('Blocks', { exact: true }).fill('1000')
    await page.getByLabel('Contract to call').fill('nowhere')
    await page.getByRole('button', { name: 'Create timer' }).click()
    await page.getByRole('alert').filter({ hasText: 'to must be' }).waitFor()
    await page.getByLabel('Contract to call').fill(receiver.address)
    await page.getByRole('button', { name: 'Create timer' }).click()
    const row = page.getByRole('row').filter({ hasText: 'heartbeat' })
    await row.getByText('every 1,000 blocks').waitFor()
    await row.getByText(/^in [\d,]+ blocks$/).waitFor()
    await row.getByRole('button', { name: 'Cancel' }).click()
    await row.getByText('It fires no more').waitFor()
    await row.getByRole('button', { name: 'Cancel' }).click()
    await row.getByText('cancelled').waitFor()
    expect(troubles.filter((text) => !text.includes('400'))).toEqual([])
    await page.context().close()
  })

  test('a waiting transaction is explained, with the advised action first, and acted on', async () => {
    const lane = { chainId: 31_337, reason: 'test' }
    expect(await service.drover.post(`/v1/signers/${signer.address}/pause`, lane)).toMatchObject({ status: 200 })
    const send = { from: signer.address, to: receiver.address, requestId: 'held' }
    const { body } = await service.drover.post('/v1/transactions', send)
    const { page, troubles } = await openWatched(browser, `${url()}/#/tx/${body.id}`)
    await page.getByText('First in line').waitFor()
    await page.getByRole('button', { name: 'Suspend', exact: true }).click()
    await page.getByLabel('Reason').fill('wait for the customer')
    await page.getByRole('button', { name: 'Suspend this transaction' }).click()
    const advised = page.locator('.operator-choice button').first()
    await advised.filter({ hasText: 'Resume' }).waitFor()
    expect(await advised.getAttribute('class')).toContain('is-primary')
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await page.getByLabel('Reason').fill('not wanted any more')
    await page.getByRole('button', { name: 'Cancel this transaction' }).click()
    await page.locator('.page-head').getByText('Cancelled').waitFor()
    expect(troubles).toEqual([])
    await service.drover.post(`/v1/signers/${signer.address}/resume`, lane)
    await page.context().close()
  })

  test('a nonce gap is seen on the strip, and filled from there with the keyboard alone', async () => {
    const change = { policy: { maxInFlight: 5 } }
    expect(await service.drover.request('PATCH', `/v1/signers/${signer.address}`, change)).toMatchObject({
      status: 200,
    })
    const lockOwner = 'its holder'
    const wanted = { count: 1, ttlMs: 600_000, lockOwner }
    const reserved = await service.drover.post(`/v1/signers/${signer.address}/nonces`, wanted)
    expect(reserved.status).toBe(201)
    const [{ id, nonce }] = reserved.body.items
    const sent = await service.drover.post('/v1/transactions', { from: signer.address, to: receiver.address })
    await eventually(
      async () => (await service.drover.get(`/v1/transactions/${sent.body.id}`)).body.nonce,
      (taken) => taken === nonce + 1,
    )
    const released = await service.drover.post(`/v1/nonces/${id}/release`, { lockOwner })
    expect(released.status).toBe(200)
    const { page, troubles } = await openWatched(browser, `${url()}/#/signer/${signer.address}`)
    const gap = page.locator('.strip-cell.is-gap button')
    await gap.filter({ hasText: String(nonce) }).waitFor()
    await gap.focus()
    await page.keyboard.press('Enter')
    const reason = page.locator('.operator-form').getByLabel('Reason')
    await reason.waitFor()
    const field = (await reason.getAttribute('id')) ?? ''
    await awaitFocusOnId(page, field)
    await page.keyboard.press('Escape')
    await reason.waitFor({ state: 'detached' })
    await awaitFocusOn(page, `${nonce}: not used`)
    await page.keyboard.press('Enter')
    await awaitFocusOnId(page, field)
    await page.keyboard.type('the holder gave it back')
    await page.keyboard.press('Enter')
    await gap.waitFor({ state: 'detached' })
    await eventually(
      async () => (await service.drover.get(`/v1/transactions/${sent.body.id}`)).body.state,
      (state) => state === 'CONFIRMED',
    )
    expect(troubles).toEqual([])
    await page.context().close()
  })

  test('without a mouse: the focus is seen everywhere, what is opened takes it, and Escape gives it back', async () => {
    const { page, troubles } = await openWatched(browser, `${url()}/#/signer/${signer.address}`)
    const press = async (name: string) => {
      const button = page.getByRole('button', { name, exact: true })
      await button.waitFor()
      await tabTo(page, name)
    }
    await press('Pause')
    await page.keyboard.press('Enter')
    await awaitFocusOnId(page, 'order-')
    await page.keyboard.press('Escape')
    await awaitFocusOn(page, 'Pause')
    await press('Change the policy')
    await page.keyboard.press('Enter')
    await awaitFocusOnId(page, 'policy-')
    await page.keyboard.press('Escape')
    await awaitFocusOn(page, 'Change the policy')

    await openPalette(page)
    await page.keyboard.type('timers')
    await page.getByRole('option', { selected: true }).filter({ hasText: 'Timers' }).waitFor()
    await page.keyboard.press('Enter')
    await awaitNewPage(page)
    await press('New timer')
    await openPalette(page)
    await page.keyboard.press('Escape')
    await awaitFocusOn(page, 'New timer')
    await page.keyboard.press('Enter')
    await awaitFocusOnId(page, 'timer-from')
    await page.keyboard.press('Escape')
    await awaitFocusOn(page, 'New timer')

    for (const hash of ['', 'transactions', 'signers', 'webhooks', 'access', 'cluster', 'send']) {
      await page.goto(`${url()}/#/${hash}`)
      await page.locator('main h1').waitFor({ state: 'attached' })
      await eventually(
        () => page.locator('main .loading').count(),
        (count) => count === 0,
      )
      await page.locator('main').focus()
      for (let step = 0; step < 8; step++) {
        await page.keyboard.press('Tab')
        // Past the last element the browser itself has the focus.
        if (await page.evaluate('document.activeElement === document.body')) break
        expect([hash, await isFocusSeen(page)]).toEqual([hash, true])
      }
    }
    expect(troubles).toEqual([])
    await page.context().close()
  })

  test('a transaction that reverted on chain says why, on the page and in its explanation', async () => {
    const reverting = '0x00000000000000000000000000000000000000ee'
    await service.chain.setCode(reverting, revertingCode('not enough'))
    const sent = { from: signer.address, to: reverting, gasLimit: '100000', simulate: false }
    const { body } = await service.drover.post('/v1/transactions', sent)
    const { page, troubles } = await openWatched(browser, `${url()}/#/tx/${body.id}`)
    await page.locator('.page-head').getByText('Failed').waitFor()
    await page.locator('.error-reason').getByText('not enough').waitFor()
    const explained = await service.drover.get(`/v1/transactions/${body.id}/explain`)
    expect(explained.body).toMatchObject({ cause: 'reverted', revertReason: 'not enough' })
    expect(troubles).toEqual([])
    await page.context().close()
  })

  test('a block that a reorg dropped stays in sight, beside what replaced it', async () => {
    const send = { from: signer.address, to: receiver.address, value: '1', finality: 30 }
    const { body } = await service.drover.post('/v1/transactions', send)
    const { page, troubles } = await openWatched(browser, `${url()}/#/tx/${body.id}`)
    const own = page.locator('.block-cell.is-own')
    await own.waitFor()
    await service.chain.setBlockInterval(0)
    const { inclusion } = (await service.drover.get(`/v1/transactions/${body.id}`)).body
    await service.chain.reorg((await service.chain.blockNumber()) - inclusion.blockNumber + 1)
    await service.chain.setBlockInterval(1)
    await page.locator(`.block-cell.is-dropped.was-own[title*="${inclusion.blockHash}"]`).waitFor()
    // The reorg may have dropped its next block too: what counts is where it ends up.
    await eventually(
      async () => ({
        hash: (await service.drover.get(`/v1/transactions/${body.id}`)).body.inclusion?.blockHash as string | undefined,
        title: (await own.count()) === 1 ? await own.getAttribute('title') : null,
      }),
      ({ hash, title }) => hash !== undefined && hash !== inclusion.blockHash && title?.includes(hash) === true,
    )
    await page.getByText('Its block was reorged out').waitFor()
    expect(troubles).toEqual([])
    await page.context().close()
  })

  test('on a phone the overview is a few screens tall at most', async () => {
    const { page } = await openWatched(browser, url(), 390)
    await page.getByRole('heading', { name: 'Signers' }).waitFor()
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(MAX_PHONE_HEIGHT)
    await page.context().close()
  })
})
