/** `/v1/signers/{address}/rules` and `/v1/api-keys/{id}/rules`: what a signer or a key may spend. */
import { z } from 'zod'
import { actorOf, type Caller } from '../../../core/access/caller.ts'
import { AppError } from '../../../core/app-error.ts'
import { diffRules } from '../../../core/rules/diff-rules.ts'
import { keySubject, type RuleSet, type SubjectId, signerSubject } from '../../../core/rules/rule-set.ts'
import type { ApiServices } from '../../api-services.ts'
import { reasonInput } from '../../contract/requests/operator-request.ts'
import { ruleSetRequest } from '../../contract/requests/rules-request.ts'
import { rulesResource } from '../../contract/resources/rules-resource.ts'
import { addressInput } from '../../contract/values/address.ts'
import { keyIdParam } from '../../contract/values/key-id.ts'
import { getLanes } from '../../lookup/get-lane.ts'
import { presentRules } from '../../present/present-rules.ts'
import { defineRoute, NO_INPUT, type RouteReply } from '../../route.ts'

const ofSigner = { ...NO_INPUT, params: z.strictObject({ address: addressInput }) }
const ofKey = { ...NO_INPUT, params: z.strictObject({ id: keyIdParam }) }
/** In the query, because the body is the rule set as it is stored in files. */
const WITH_REASON = { query: z.strictObject({ reason: reasonInput.optional() }) }
const ANSWERS = [{ status: 200, description: 'The rules, and how much of each is used.', schema: rulesResource }]

export const showSignerRules = defineRoute(
  ofSigner,
  {
    operationId: 'showSignerRules',
    method: 'GET',
    path: '/v1/signers/{address}/rules',
    summary: 'Show what a signer may spend, and how much of it is used',
    scope: 'read',
    answers: ANSWERS,
    errors: ['not_found'],
  },
  async ({ params }, services) => {
    await getLanes(services, params.address)
    return show(services, signerSubject(params.address))
  },
)

export const setSignerRules = defineRoute(
  { ...ofSigner, ...WITH_REASON, body: ruleSetRequest },
  {
    operationId: 'setSignerRules',
    method: 'PUT',
    path: '/v1/signers/{address}/rules',
    summary: 'Set what a signer may spend. Replaces the rules it has',
    scope: 'admin',
    answers: ANSWERS,
    errors: ['not_found'],
  },
  async ({ params, query, body }, services, caller) => {
    await getLanes(services, params.address)
    return set(services, caller, signerSubject(params.address), { rules: body, ...query })
  },
)

export const clearSignerRules = defineRoute(
  { ...ofSigner, ...WITH_REASON },
  {
    operationId: 'clearSignerRules',
    method: 'DELETE',
    path: '/v1/signers/{address}/rules',
    summary: 'Remove the rules of a signer, and forget what it has spent',
    scope: 'admin',
    answers: ANSWERS,
    errors: ['not_found'],
  },
  async ({ params, query }, services, caller) => {
    await getLanes(services, params.address)
    return set(services, caller, signerSubject(params.address), { rules: null, ...query })
  },
)

export const showKeyRules = defineRoute(
  ofKey,
  {
    operationId: 'showKeyRules',
    method: 'GET',
    path: '/v1/api-keys/{id}/rules',
    summary: 'Show what an API key may spend, and how much of it is used',
    scope: 'admin',
    answers: ANSWERS,
    errors: ['not_found'],
  },
  async ({ params }, services, caller) => {
    await checkKey(services, caller, params.id)
    return show(services, keySubject(params.id))
  },
)

export const setKeyRules = defineRoute(
  { ...ofKey, ...WITH_REASON, body: ruleSetRequest },
  {
    operationId: 'setKeyRules',
    method: 'PUT',
    path: '/v1/api-keys/{id}/rules',
    summary: 'Set what an API key may spend. Replaces the rules it has',
    scope: 'admin',
    answers: ANSWERS,
    errors: ['not_found'],
  },
  async ({ params, query, body }, services, caller) => {
    await checkKey(services, caller, params.id)
    return set(services, caller, keySubject(params.id), { rules: body, ...query })
  },
)

export const clearKeyRules = defineRoute(
  { ...ofKey, ...WITH_REASON },
  {
    operationId: 'clearKeyRules',
    method: 'DELETE',
    path: '/v1/api-keys/{id}/rules',
    summary: 'Remove the rules of an API key, and forget what it has spent',
    scope: 'admin',
    answers: ANSWERS,
    errors: ['not_found'],
  },
  async ({ params, query }, services, caller) => {
    await checkKey(services, caller, params.id)
    return set(services, caller, keySubject(params.id), { rules: null, ...query })
  },
)

/** Keys that the caller cannot see do not exist for it. */
async function checkKey({ apiKeys }: ApiServices, caller: Caller, wanted: string): Promise<void> {
  const known = await apiKeys.list(caller)
  if (!known.some(({ id }) => id === wanted))
    throw new AppError('not_found', `There is no API key ${wanted}.`, { field: 'id' })
}

async function show({ rules, chainStatus }: ApiServices, subject: SubjectId): Promise<RouteReply> {
  const chains = chainStatus().map(({ chainId }) => chainId)
  return { status: 200, body: presentRules(subject, await rules.read(subject), chains) }
}

/** A key that rules bind may not change any: it would free itself. */
async function set(
  services: ApiServices,
  caller: Caller,
  subject: SubjectId,
  { rules: next, reason }: { readonly rules: RuleSet | null; readonly reason?: string | undefined },
): Promise<RouteReply> {
  const { rules } = services
  if (caller.keyId !== null && (await rules.read(keySubject(caller.keyId))).account !== null)
    throw new AppError('forbidden', 'Your own API key is bound by rules, so it cannot change rules.')
  const before = await rules.put(subject, next, actorOf(caller))
  const note = [diffRules(before, next), ...(reason === undefined ? [] : [`reason: ${reason}`])].join('; ')
  return { ...(await show(services, subject)), auditNote: note }
}
