// The body of Asio, compiled once (BOOST_ASIO_SEPARATE_COMPILATION).
#include <utility>

#include <boost/asio/impl/src.hpp>
