/** Which queued transactions may take a nonce now. Those that wait for approval, or that a rule holds, let others pass. */
export const inLine = (t: string) =>
  `${t}.queue_position is not null and not ${t}.suspended and ${t}.sub_state <> 'awaiting_approval'
      and not (${t}.sub_state = 'held_by_rule' and coalesce(${t}.retry_at > clock_timestamp(), false))`
