/** `POST /v1/signers/{address}/verify`: signs a challenge with the key and recovers the address. Sends nothing. */
import { z } from 'zod'
import { keyCheckResource } from '../../contract/resources/signer-resource.ts'
import { addressInput, checksumAddress } from '../../contract/values/address.ts'
import { getLanes } from '../../lookup/get-lane.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

export const verifySigner = defineRoute(
  { ...NO_INPUT, params: z.strictObject({ address: addressInput }) },
  {
    operationId: 'verifySigner',
    method: 'POST',
    path: '/v1/signers/{address}/verify',
    summary: 'Check that the key of a signer can sign: sign a challenge and recover the address',
    scope: 'operate',
    answers: [{ status: 200, description: 'The result, also if it cannot sign.', schema: keyCheckResource }],
    errors: ['not_found'],
  },
  async ({ params: { address } }, services) => {
    const [lane] = await getLanes(services, address)
    const key = services.ownKeys.find(address)
    const about = { address: checksumAddress(address), source: key?.source ?? null, place: key?.place ?? null }
    if (key === null) {
      const problem = `node ${services.nodeId} does not have the key`
      return { status: 200, body: { ...about, verified: false, problem, tookMs: null } }
    }
    const check = await services.ownKeys.check(address, lane?.signer.lane.chainId ?? 1)
    const [verified, problem] = check.type === 'verified' ? [true, null] : [false, check.message]
    return {
      status: 200,
      body: { ...about, verified, problem, tookMs: check.type === 'verified' ? check.tookMs : null },
    }
  },
)
