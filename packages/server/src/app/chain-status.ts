/** How this node sees its chains, as the API shows it. */
import type { ChainStatus } from '../api/api-services.ts'
import type { ChainHealth } from '../core/chain/chain-health.ts'
import type { FollowStatus } from '../engine/chain-unit.ts'

/** A transaction's chain that this node is not configured for. */
export const NOT_FOLLOWED: ChainHealth = { state: 'starting', since: null, message: null }

export function presentChainStatus(
  { chainId, view, finality, health, lastError }: FollowStatus,
  endpoints: ChainStatus['endpoints'],
): ChainStatus {
  const following = view !== null && (health.state === 'ok' || health.state === 'standing')
  return {
    chainId,
    finality,
    following,
    health,
    lastError,
    endpoints,
    head: view?.head ?? null,
    safe: view?.safe ?? null,
    finalized: view?.finalized ?? null,
  }
}
