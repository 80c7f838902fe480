// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// Worth a transaction only while something is pending: use `pending() > 0` as the condition of the timer.
contract Vault {
    uint256 public pending;
    uint256 public harvested;

    error NothingToHarvest();

    function earn(uint256 amount) external {
        pending += amount;
    }

    function harvest() external {
        if (pending == 0) revert NothingToHarvest();
        harvested += pending;
        pending = 0;
    }
}
