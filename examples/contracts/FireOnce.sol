// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// Runs a call of a timer once for each fire. Needs `appendDeliverId`: Drover then appends the 32-byte id of the fire to the
/// calldata. Solidity ignores what follows the arguments, so functions need no extra parameter.
///
/// The id proves nothing about the sender: if only your timers may call, check `msg.sender` as well.
abstract contract FireOnce {
    mapping(bytes32 => bool) public hasRun;

    error NoFireId();
    error FireHasRun(bytes32 id);

    modifier oncePerFire() {
        if (msg.data.length < 36) revert NoFireId();
        bytes32 id = bytes32(msg.data[msg.data.length - 32:]);
        if (hasRun[id]) revert FireHasRun(id);
        hasRun[id] = true;
        _;
    }
}
