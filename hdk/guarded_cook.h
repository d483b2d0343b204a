#pragma once

#include <exception>
#include <functional>
#include <string>

#include "core/base/error.h"

namespace sunder::hdk {

/// Where a node's troubles go.
struct CookOutlet {
    std::function<void(const std::string&)> error, warning;
    std::function<void()> interrupted;
};

/// The text that a node shows: what is wrong, and what to do about it.
inline std::string textOf(const Error& e) {
    std::string text = e.what();
    if (!e.remedy().empty()) text += ". " + std::string(1, static_cast<char>(std::toupper(static_cast<unsigned char>(e.remedy()[0])))) + e.remedy().substr(1);
    return text;
}

/// Runs `body`; the one place where what core throws becomes an error of a node. Returns true if all went well.
template <class Body>
bool guardedCook(const CookOutlet& outlet, Body&& body) {
    try {
        body();
        return true;
    } catch (const Cancelled&) {
        outlet.interrupted();
    } catch (const Error& e) {
        outlet.error(textOf(e));
    } catch (const std::bad_alloc&) {
        outlet.error("there is not enough memory. Use a coarser mesh, or close other scenes");
    } catch (const std::exception& e) {
        outlet.error(std::string("unexpected trouble: ") + e.what());
    }
    return false;
}

}  // namespace sunder::hdk
