/**
 * The services as one caller may use them. The signer and chain limits of a key apply here, below all routes at once,
 * so no route can forget the check. Anything out of its reach does not exist for the key. Only a request that names a
 * signer to send from is refused, because that reveals nothing.
 *
 * Every service is listed, even those without a limit: a new service does not compile until its limit is decided here.
 */
import { type Caller, mayUse, mayUseChain, reachesAll } from '../../core/access/caller.ts'
import { AppError } from '../../core/app-error.ts'
import type { Address } from '../../core/hex.ts'
import type { ApiServices } from '../api-services.ts'
import { readInTurns } from '../server/read-in-turns.ts'
import { limitRequestIds } from './limit-request-ids.ts'
import { limitStore } from './limit-store.ts'
import { limitTimers } from './limit-timers.ts'
import { limitWrites } from './limit-writes.ts'
import { refuseOrRun } from './refuse-or-run.ts'
import { signRequests } from './sign-requests.ts'

/** Made once for each caller, which is one object for all requests that share a read of their key. */
export function createServiceLimits(all: ApiServices): (caller: Caller) => ApiServices {
  const made = new WeakMap<Caller, ApiServices>()
  return (caller) => {
    const known = made.get(caller)
    if (known !== undefined) return known
    const services = limitServices(all, caller)
    made.set(caller, services)
    return services
  }
}

function limitServices(all: ApiServices, caller: Caller): ApiServices {
  const services = { ...all, store: limitRequestIds(readInTurns(all, caller.tenant), caller) }
  const named =
    caller.keyId === null
      ? services
      : { ...services, ...signRequests(services, caller), timers: limitTimers(services.timers, caller) }
  return reachesAll(caller) ? named : limitReach(named, caller)
}

function limitReach(services: ApiServices, caller: Caller): ApiServices {
  const { audit } = services
  const mayUseSigner = (address: Address) => caller.signers?.includes(address) ?? true
  return {
    nodeId: services.nodeId,
    access: services.access,
    apiKeys: services.apiKeys,
    waits: services.waits,
    bodies: services.bodies,
    unread: services.unread,
    stallMs: services.stallMs,
    work: services.work,
    pieces: services.pieces,
    reads: services.reads,
    clock: services.clock,
    readiness: services.readiness,
    telemetry: services.telemetry,
    dashboardDir: services.dashboardDir,
    finalityOf: services.finalityOf,
    sendEndpointsOf: (lane) => (mayUse(caller, lane) ? services.sendEndpointsOf(lane) : null),
    maxTxFeeOf: services.maxTxFeeOf,
    ...limitWrites(services, caller),
    rules: limitRules(services.rules, caller),
    store: limitStore(services.store, caller),
    audit: {
      listAudit: (page) => refuseOrRun(caller, 'The audit', () => audit.listAudit(page)),
      checkAudit: (from) => refuseOrRun(caller, 'The audit', () => audit.checkAudit(from)),
    },
    renderMetrics: () => refuseOrRun(caller, 'The metrics', services.renderMetrics),
    webhooks: limitWebhooks(services.webhooks, caller),
    timers: services.timers,
    eventStreams: {
      open: (request) => services.eventStreams.open({ ...request, caller }),
      openSource: services.eventStreams.openSource,
      close: services.eventStreams.close,
    },
    chainStatus: () => services.chainStatus().filter(({ chainId }) => mayUseChain(caller, chainId)),
    onChain: services.onChain,
    viewOf: (chainId) => (mayUseChain(caller, chainId) ? services.viewOf(chainId) : null),
    feeMarkets: {
      read: async (chainId) => {
        if (mayUseChain(caller, chainId)) return services.feeMarkets.read(chainId)
        throw new AppError('not_found', `This service does not follow chain ${chainId}.`, { field: 'chainId' })
      },
    },
    ownKeys: {
      addresses: () => services.ownKeys.addresses().filter(mayUseSigner),
      defaultPolicy: services.ownKeys.defaultPolicy,
      find: (address) => (mayUseSigner(address) ? services.ownKeys.find(address) : null),
      check: async (address, chainId) =>
        mayUse(caller, { chainId, signer: address })
          ? services.ownKeys.check(address, chainId)
          : { type: 'failed', message: 'not found' },
      create: () => refuseOrRun(caller, 'A new signer', services.ownKeys.create),
      remove: (address, note) => refuseOrRun(caller, 'A removal', () => services.ownKeys.remove(address, note)),
    },
    applySigners: services.applySigners,
    healthOf: services.healthOf,
    countOf: async (lane) => (mayUse(caller, lane) ? services.countOf(lane) : null),
    baseFeeOf: async (chainId) => (mayUseChain(caller, chainId) ? services.baseFeeOf(chainId) : null),
    readLogs: async (chainId, hash) => (mayUseChain(caller, chainId) ? services.readLogs(chainId, hash) : null),
    readRevert: async (tx) => (mayUse(caller, tx.intent.lane) ? services.readRevert(tx) : null),
    listNodes: services.listNodes,
    silentNodes: services.silentNodes,
  }
}

/** Rules hold on every chain, so only a key without limits may set them; a limited key sees those of its signers. */
function limitRules(rules: ApiServices['rules'], caller: Caller): ApiServices['rules'] {
  return {
    read: async (subject) => {
      const isSeen = subject.startsWith('signer:') || subject === `key:${caller.keyId}`
      return isSeen ? rules.read(subject) : refuseOrRun(caller, 'The rules of another key', () => rules.read(subject))
    },
    put: (subject, set, by) => refuseOrRun(caller, 'A spending rule', () => rules.put(subject, set, by)),
  }
}

/** A webhook outlives the key that created it and receives any event, so only a key without limits may manage webhooks. */
function limitWebhooks(webhooks: ApiServices['webhooks'], caller: Caller): ApiServices['webhooks'] {
  const guard =
    <A extends readonly unknown[], T>(run: (...args: A) => Promise<T>) =>
    (...args: A) =>
      refuseOrRun(caller, 'A webhook', () => run(...args))
  return {
    create: guard(webhooks.create),
    list: guard(webhooks.list),
    get: guard(webhooks.get),
    update: guard(webhooks.update),
    remove: guard(webhooks.remove),
    listDeliveries: guard(webhooks.listDeliveries),
    redeliver: guard(webhooks.redeliver),
    test: guard(webhooks.test),
  }
}
