/** Which queued transactions may take a nonce now. Those that wait for approval, a rule, or their time let others pass. */
export const inLine = (t: string) =>
  `${t}.queue_position is not null and not ${t}.suspended and ${t}.sub_state not in ('awaiting_approval', 'scheduled')
      and not (${t}.sub_state = 'held_by_rule' and coalesce(${t}.retry_at > clock_timestamp(), false))`
