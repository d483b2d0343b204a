#include "core/material/elastic_law.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/material/corotated.h"
#include "core/material/green.h"
#include "core/material/neohookean.h"
#include "core/material/viscoelastic.h"

namespace sunder {

Span<const ElasticLaw> elasticLaws() {
    static const std::vector<ElasticLaw> laws = {
        greenLaw(),
        corotatedLaw(),
        viscoelasticLaw(),
        neoHookeanLaw(),
    };
    return laws;
}

const ElasticLaw& elasticLaw(ElasticLawId id) { return elasticLaws()[static_cast<std::size_t>(id)]; }

const ElasticLaw& elasticLawByName(const std::string& name) {
    std::vector<std::string> names;
    for (const ElasticLaw& law : elasticLaws()) {
        if (name == law.name) return law;
        names.push_back(law.name);
    }
    std::string known;
    for (const std::string& n : names) known += (known.empty() ? "" : ", ") + n;
    const std::string nearest = nearestWord(name, names);
    throw Error("there is no elastic law named '" + name + "'",
                (nearest.empty() ? "" : "did you mean '" + nearest + "'? ") + ("use one of " + known));
}

}  // namespace sunder
