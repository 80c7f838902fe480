/** `POST /v1/signers/{address}/remove`: ends the use of a signer on all chains, and deletes its key from the database. */
import { z } from 'zod'
import { actorOf } from '../../../core/access/caller.ts'
import { AppError } from '../../../core/app-error.ts'
import { removalRequest } from '../../contract/requests/signer-request.ts'
import { removalResource } from '../../contract/resources/signer-resource.ts'
import { addressInput, checksumAddress } from '../../contract/values/address.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

export const removeSigner = defineRoute(
  { ...NO_INPUT, params: z.strictObject({ address: addressInput }), body: removalRequest },
  {
    operationId: 'removeSigner',
    method: 'POST',
    path: '/v1/signers/{address}/remove',
    summary: 'Remove a signer from all chains. A key in the database is deleted',
    scope: 'admin',
    answers: [{ status: 200, description: 'Where it was removed.', schema: removalResource }],
    errors: ['not_found', 'signer_busy'],
  },
  async ({ params: { address }, body: { reason } }, services, caller) => {
    const name = checksumAddress(address)
    const note = { type: 'signer.removed', cause: 'operator', detail: { actor: actorOf(caller), reason } }
    const outcome = await services.ownKeys.remove(address, note)
    if (outcome.type === 'unknown')
      throw new AppError('not_found', `${name} is not a registered signer.`, { field: 'address' })
    if (outcome.type === 'busy') {
      const message = `${name} still has ${outcome.open} open transactions, reservations or timers. Nothing was removed.`
      throw new AppError('signer_busy', message, { open: outcome.open })
    }
    services.telemetry.log('info', 'signer removed', { signer: address, ...note.detail })
    return { status: 200, body: { address: name, chainIds: outcome.lanes.map(({ chainId }) => chainId) } }
  },
)
