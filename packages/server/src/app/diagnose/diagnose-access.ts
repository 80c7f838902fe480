/** Whether `drover start` would refuse because nobody, or everybody, could call the service. */

import { createPostgresAccessStore } from '../../store/postgres/access/postgres-access-store.ts'
import { type Door, findDoorProblem } from '../find-door-problem.ts'
import { type Finding, failed, ok, warn } from './finding.ts'

const SILENT = { log: () => {}, count: () => {}, gauge: () => {} }

export async function diagnoseAccess(databaseUrl: string, door: Door): Promise<Finding> {
  const store = createPostgresAccessStore({ databaseUrl, telemetry: SILENT, applicationName: 'drover doctor' })
  try {
    const [{ hasKeys }, hasActiveKey] = await Promise.all([store.findKeys([]), store.hasActiveKey()])
    const problem = findDoorProblem(door, { hasKeys, hasActiveKey })
    if (problem !== null) return failed('access', problem.message, problem.fix)
    return hasKeys
      ? ok('access', 'callers need an API key')
      : warn(
          'access',
          'no API key: every program on this machine can send transactions',
          'create API keys for production',
        )
  } finally {
    await store.close()
  }
}
