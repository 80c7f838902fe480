/** HashiCorp Vault on the wire: one secret for each path, for whoever has the token. */
import { type FakeService, startFakeService } from './fake-service.ts'

export async function startFakeVault(
  secrets: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  token: string,
): Promise<FakeService> {
  return await startFakeService(({ url, headers }) => {
    if (headers['x-vault-token'] !== token) return { status: 403, body: '{"errors":["permission denied"]}' }
    const data = secrets[url.pathname.replace('/v1/', '')]
    return data === undefined ? { status: 404, body: '{"errors":[]}' } : { status: 200, body: JSON.stringify({ data }) }
  })
}
