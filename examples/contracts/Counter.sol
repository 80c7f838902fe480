// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// An interval pokes it, and a watch reacts to its event.
contract Counter {
    uint256 public count;

    event Poked(address indexed by, uint256 count);

    function poke() external {
        count += 1;
        emit Poked(msg.sender, count);
    }
}
