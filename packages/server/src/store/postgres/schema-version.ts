/** The migrations this program knows, in order; the place in the list is the version. */
export const MIGRATIONS = [
  '0001_transactions.sql',
  '0002_access.sql',
  '0003_webhooks.sql',
  '0004_refusals.sql',
  '0005_fee_caps.sql',
  '0006_chain_reach.sql',
  '0007_window.sql',
  '0008_tenants.sql',
  '0009_exact_intents.sql',
  '0010_reservation_orders.sql',
  '0011_cancel_all.sql',
  '0012_history_lists_chain.sql',
  '0013_lane_problems.sql',
  '0014_hot_path.sql',
  '0015_timers.sql',
  '0016_signer_keys.sql',
  '0017_spending_rules.sql',
  '0018_retention.sql',
  '0019_timer_costs.sql',
  '0020_scheduled.sql',
  '0021_long_history.sql',
  '0022_private_sends.sql',
  '0023_timeline.sql',
] as const

export const LATEST_SCHEMA_VERSION: number = MIGRATIONS.length
