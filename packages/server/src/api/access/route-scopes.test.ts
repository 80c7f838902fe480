/** Every route against every scope. The table is written by hand: a scope that changes on a route has to change here too. */
import { beforeAll, expect, test } from 'vitest'
import { LOCAL_CALLER, SCOPES, type Scope } from '../../core/access/caller.ts'
import { createTestApi, NOW, STRANGER, type TestApi } from '../../testing/api/create-test-api.ts'
import type { Route } from '../route.ts'
import { ROUTES } from '../routes.ts'
import { createApiKeys } from './api-keys.ts'

const OPERATIONS: Readonly<Record<Scope | 'open', string>> = {
  open: 'showHealth showReadiness showOpenApi showDocs',
  read: `listTransactions showTransaction showHistory listAttempts showConfirmations showReceipt explainTransaction
    listSigners showSigner showReset listReservations showReservation listEvents streamEvents
    listChains listBlocks streamBlocks showFees listNodes showMetrics showCaller
    listTimers showTimer listFires showTimerQueue showSignerRules`,
  send: `createTransaction createTransactionBatch reserveNonces useNonce extendNonce releaseNonce
    createTimer updateTimer cancelTimer pauseTimer resumeTimer`,
  operate: `suspendTransaction resumeTransaction retryTransaction speedUpTransaction cancelTransaction
    resolveTransaction requeueTransaction closeTransaction
    pauseSigner resumeSigner verifySigner resetNonce fillGap releaseReservations fillReservations changeTimerParams`,
  admin: `registerSigner removeSigner updateSigner listApiKeys createApiKey revokeApiKey listAudit checkAudit
    createWebhook listWebhooks showWebhook updateWebhook deleteWebhook listDeliveries redeliver testWebhook
    setSignerRules clearSignerRules showKeyRules setKeyRules clearKeyRules`,
  priority: '',
  approve: 'approveTransaction rejectTransaction',
}
const TABLE = (['read', 'send', 'operate', 'admin', 'approve'] as const).flatMap((scope) =>
  OPERATIONS[scope].split(/\s+/).map((operation) => [operation, scope] as const),
)

let api: TestApi
const tokens = new Map<string, string>()

/** A key with exactly these scopes. */
async function keyWith(scopes: readonly Scope[]): Promise<{ readonly authorization: string }> {
  const name = scopes.join() || 'none'
  const known = tokens.get(name)
  if (known !== undefined) return { authorization: `Bearer ${known}` }
  const limits = { signers: null, chains: null, rate: null, maxTxFeeWei: null, expiresAt: null }
  const keys = createApiKeys({
    store: api.keys,
    clock: { now: () => NOW, schedule: () => () => {} },
    withoutKey: true,
    releaseReservations: async () => {},
  })
  const { token } = await keys.create({ ...LOCAL_CALLER, name: 'test' }, { name, scopes, ...limits })
  tokens.set(name, token)
  return { authorization: `Bearer ${token}` }
}

function findRoute(operation: string): Route {
  const route = ROUTES.find(({ operationId }) => operationId === operation)
  if (route === undefined) throw new Error(`no route is called ${operation}`)
  return route
}

async function call({ method, path }: Route, scopes: readonly Scope[]) {
  const url = path
    .replace('{address}', STRANGER)
    .replace('{chainId}', '1')
    .replace('/api-keys/{id}', `/api-keys/${'0'.repeat(16)}`)
    .replaceAll(/\{\w+\}/g, '01890a5d-ac96-774b-bcce-000000000999')
  const reply = await api.server.inject({ method, url, headers: await keyWith(scopes) })
  return { status: reply.statusCode, code: reply.body.startsWith('{') ? reply.json().code : null }
}

beforeAll(async () => {
  api = await createTestApi()
})

test('the table has every route, once', () => {
  const listed = [...TABLE.map(([operation]) => operation), ...OPERATIONS.open.split(' ')]
  expect(listed.sort()).toEqual(ROUTES.map(({ operationId }) => operationId).sort())
})

test.each(TABLE)('%s needs %s: every other scope, and all others together, are refused', async (operation, scope) => {
  const route = findRoute(operation)
  const others = SCOPES.filter((each) => each !== scope)
  for (const scopes of [...others.map((each) => [each]), others])
    expect(await call(route, scopes), scopes.join()).toEqual({ status: 403, code: 'forbidden' })
  // Streams go on until somebody ends them; that they open is tested where they are.
  if (operation === 'streamEvents' || operation === 'streamBlocks') return
  expect([401, 403]).not.toContain((await call(route, [scope])).status)
})

test.each(OPERATIONS.open.split(' '))('%s is open to every scope', async (operation) => {
  for (const scope of SCOPES) expect([401, 403]).not.toContain((await call(findRoute(operation), [scope])).status)
})
