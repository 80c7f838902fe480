/** How long a silent node is remembered. */

/** After this many times its time to live without a heartbeat, a node's row is deleted. */
export const FORGET_AFTER_TTLS = 10
