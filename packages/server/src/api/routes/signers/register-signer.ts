/** `POST /v1/signers`: starts using a key on one chain: one that this service has, or a new one. */
import { AppError } from '../../../core/app-error.ts'
import type { Address } from '../../../core/hex.ts'
import type { Lane } from '../../../core/lane/lane.ts'
import type { ApiServices } from '../../api-services.ts'
import { signerRegistration } from '../../contract/requests/signer-request.ts'
import { laneResource } from '../../contract/resources/signer-resource.ts'
import { checksumAddress } from '../../contract/values/address.ts'
import { changePolicy } from '../../lookup/change-policy.ts'
import { presentLane } from '../../present/present-lane.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

export const registerSigner = defineRoute(
  { ...NO_INPUT, body: signerRegistration },
  {
    operationId: 'registerSigner',
    method: 'POST',
    path: '/v1/signers',
    summary: 'Register a signer on a chain: one whose key Drover has, or with a new key',
    scope: 'admin',
    answers: [{ status: 201, description: 'The new lane.', schema: laneResource }],
    errors: ['unknown_chain', 'unknown_signer', 'signer_exists', 'no_master_key'],
  },
  async ({ body: { chainId, address: wanted, policy: given, label = null } }, services) => {
    checkChain(services, chainId)
    const address = wanted ?? (await createKey(services))
    const lane = { chainId, signer: address }
    if (wanted !== undefined && !services.ownKeys.addresses().includes(address)) {
      const message = `Drover has no key for ${checksumAddress(address)}. Add the key first, then register the signer.`
      throw new AppError('unknown_signer', message, { field: 'address' })
    }
    const [known] = await services.store.listLaneStatus({ lane })
    // A new key is registered on every chain by itself, maybe faster than here.
    const isTaken = known !== undefined && known.signer.removedAt === undefined
    if (isTaken && wanted !== undefined) throw exists(lane)
    const policy = changePolicy(services.ownKeys.defaultPolicy(address), given ?? {})
    await services.store.registerSigners([{ lane, policy, label }], { restores: true })
    if (wanted === undefined) await services.store.updateSigner(lane, { policy, label }, CREATED)
    const [status] = await services.store.listLaneStatus({ lane })
    if (status === undefined) throw new AppError('internal', 'a registered signer is not there')
    services.telemetry.log('info', 'signer registered', { ...lane, preset: policy.preset })
    const location = `/v1/signers/${checksumAddress(address)}`
    return { status: 201, headers: { location }, body: presentLane(status, services) }
  },
)

const CREATED = { type: 'signer.changed', cause: 'operator', detail: { action: 'create' } }

async function createKey({ ownKeys }: ApiServices): Promise<Address> {
  const address = await ownKeys.create()
  if (address !== null) return address
  const message = 'This service has no master key to encrypt the new key with. Set DROVER_MASTER_KEY.'
  throw new AppError('no_master_key', message, { field: 'createKey' })
}

function checkChain(services: ApiServices, chainId: number): void {
  const followed = services.chainStatus().map((chain) => chain.chainId)
  if (followed.includes(chainId)) return
  const message = `This service does not follow chain ${chainId}, only ${followed.join(', ')}.`
  throw new AppError('unknown_chain', message, { field: 'chainId' })
}

function exists({ chainId, signer }: Lane): AppError {
  const message = `${checksumAddress(signer)} is already registered on chain ${chainId}. Change it with PATCH /v1/signers/${checksumAddress(signer)}.`
  return new AppError('signer_exists', message, { field: 'address' })
}
