/** `GET /v1/signers`: every lane with its cursor, its load and its owner. */
import { laneList } from '../../contract/resources/signer-resource.ts'
import { presentLane } from '../../present/present-lane.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

export const listSigners = defineRoute(
  NO_INPUT,
  {
    operationId: 'listSigners',
    method: 'GET',
    path: '/v1/signers',
    summary: 'List all signers, one entry per chain',
    scope: 'read',
    answers: [{ status: 200, description: 'All lanes.', schema: laneList }],
    errors: [],
  },
  async (_, services) => {
    const lanes = await services.store.listLaneStatus({})
    return { status: 200, body: { items: lanes.map((lane) => presentLane(lane, services)) } }
  },
)
